"""Web applications on this machine: serving them, and later driving them."""

if __name__ != "cadwright.tools.browsing":
    raise ImportError("import cadwright.tools.browsing, not a bare folder name")
