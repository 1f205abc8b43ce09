"""raceproof: a verifier for data races in C programs with threads.

`raceproof.check` and `raceproof.Report` are the interface for Python; see `raceproof.api`. They are imported when
they are first used, so that `import raceproof` costs nothing.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from raceproof.api import Report, check

__version__ = "0.1.0"
__all__ = ["Report", "__version__", "check"]


def __dir__() -> list[str]:
    """For tab completion: also what was not used yet."""
    return sorted(__all__)


def __getattr__(name: str) -> object:
    if name in ("Report", "check"):
        from raceproof import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
