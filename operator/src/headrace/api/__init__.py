"""The resources that people declare: pydantic models, and the CRDs and the reference made from them.

Imports nothing else of ours, and nothing that talks to Kubernetes or Kafka.
"""
