"""Headrace: event streams on Kubernetes, declared and kept running."""
