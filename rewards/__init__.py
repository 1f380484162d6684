"""Measuring and scoring parts, in a clean process."""

if __name__ != "cadwright.rewards":
    raise ImportError("import cadwright.rewards, not the bare folder name rewards")
