"""Policies: what decides the next assistant turn."""
