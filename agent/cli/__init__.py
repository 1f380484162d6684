"""The command line: ``cadwright``. Each command is a module; heavy imports happen inside it."""

from cadwright.agent.cli.app import main

__all__ = ["main"]
