"""Finished jobs of a team, and calibrations: efficiencies of frameworks that are fitted to these jobs."""
