"""Currency of a team: a code and a stated rate, in which its sums are also shown, and the history of both."""
