"""What should happen: pure decisions, from a spec, what was observed, and the time."""
