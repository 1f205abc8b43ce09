"""The command `raceproof`, also as `python -m raceproof`. Ctrl-C has a clean answer from the first moment on."""

import gc
import sys


def entry_point() -> None:
    """What the installed script calls."""
    try:
        if sys.argv[1:2] == ["cc"]:  # a build starts it for every file: nothing else is loaded
            from raceproof.builds import run_compiler

            sys.exit(run_compiler(sys.argv[2:]))
        gc.disable()  # what is imported stays: there is nothing to collect
        from raceproof.cli import main

        gc.freeze()
        gc.set_threshold(20_000, 20, 50)  # large tables that stay would be looked through again and again
        gc.enable()
        sys.exit(main())
    except KeyboardInterrupt:
        print("raceproof: error: interrupted: nothing decided", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    entry_point()
