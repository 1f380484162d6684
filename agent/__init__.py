"""The agent runtime: policies, the episode loop, evaluation and the command line."""

if __name__ != "cadwright.agent":
    raise ImportError("import cadwright.agent, not the bare folder name agent")
