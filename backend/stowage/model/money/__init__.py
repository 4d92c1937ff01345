"""Money: prices, the cost of a configuration, and the cost over the coming months."""
