"""Everything that touches the world: files, processes, Kafka, Kubernetes. Importing this imports nothing."""
