"""Scripted batches: run, resume, report."""
