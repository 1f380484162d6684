"""Tasks and environments over a tool workspace."""

if __name__ != "cadwright.envs":
    raise ImportError("import cadwright.envs, not the bare folder name envs")
