"""Money: prices, the cost of a configuration, and cost over the months to come."""
