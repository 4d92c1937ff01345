"""What a user can do, one function each."""
