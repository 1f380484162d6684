"""Tools, the sandbox they run in, geometry and rendering."""

if __name__ != "cadwright.tools":
    raise ImportError("import cadwright.tools, not the bare folder name tools")
