"""Published results, and what the model says of them: predicted against actual. Pure; sees the model only."""
