"""Manifests and changes that are accepted or refused: one set of tables for the models and for the API server."""
