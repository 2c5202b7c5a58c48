"""Observe, plan, act, status: one pass over one resource. It can be stopped at any line and run again."""
