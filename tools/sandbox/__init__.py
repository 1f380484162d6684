"""The sandbox: confined processes for model-written code, and worker processes."""
