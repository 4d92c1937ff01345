"""Cost over time of one configuration: growing data, purchase options, break-even."""
