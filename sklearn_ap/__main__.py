"""The command `sklearn-ap`: the numbers of a user's own scores or, without a file, a demonstration.

`python -m sklearn_ap` is the same command. Its options are read by argparse, which ships with Python: the
package needs no further dependency, and the help is enough for a command without subcommands.
"""


def main(arguments: list[str] | None = None) -> None:
    """Read the command line, and run what it asks for."""
    try:
        from ._command._run import run_command  # noqa: PLC0415  # Ctrl-C may come while libraries are loaded

        run_command(arguments)
    except KeyboardInterrupt:
        raise SystemExit(130) from None  # as shells say it


if __name__ == "__main__":
    main()
