"""From what a model wrote to tool calls: readers, dialects, the schema check."""
