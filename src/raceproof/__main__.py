"""The command `raceproof`, also as `python -m raceproof`. Ctrl-C has a clean answer from the first moment on."""

import sys


def entry_point() -> None:
    """What the installed script calls."""
    try:
        from raceproof.cli import main

        sys.exit(main())
    except KeyboardInterrupt:
        print("raceproof: error: interrupted: nothing decided", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    entry_point()
