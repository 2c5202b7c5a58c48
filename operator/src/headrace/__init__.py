"""Headrace: event streams on Kubernetes, declared and kept running."""

__version__ = "0.1.0"
