"""``python -m cadwright`` and the ``cadwright`` console script."""


def main() -> None:
    """Run the command line."""
    from cadwright.agent.cli import main as cli_main

    cli_main()


if __name__ == "__main__":
    main()
