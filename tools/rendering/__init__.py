"""Rendering: pictures of parts."""
