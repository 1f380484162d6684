"""Typed constraints: what a part must be, in its own units, and how far it is from that."""
