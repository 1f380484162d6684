"""Geometry: parts, files, tessellation and measures."""
