"""The scores that others publish, by their names: formula, source and known faults of each."""
