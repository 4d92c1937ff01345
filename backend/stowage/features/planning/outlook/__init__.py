"""Cost over time of one configuration, with growing data, for all purchase options."""
