"""What should happen to a Topic: one direction only, from the resource to Kafka. Begins at `planning.plan_topic`."""
