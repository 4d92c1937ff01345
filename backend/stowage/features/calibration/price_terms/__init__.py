"""Price terms of a team: discounts on published prices, and the history of these discounts."""
