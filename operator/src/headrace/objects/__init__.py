"""Objects as values: pure builders, one file per kind."""
