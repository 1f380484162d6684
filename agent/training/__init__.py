"""Training policies on what cadwright's own environments show them."""
