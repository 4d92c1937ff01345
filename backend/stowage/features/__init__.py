"""Features: one package for each activity of users."""
