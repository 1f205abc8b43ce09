"""Damaged files for all readers: `python -m faults.fuzz --seed S --seconds N [--reader NAME]` (from `tests`).

Nothing but a `RaceproofError` may come of them, with a message and in a short time. What is found is kept in a file.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from faults.readers import READERS, Reader
from raceproof.core import InternalError, RaceproofError

LONGEST = 20  # seconds for one text


@dataclass(frozen=True, slots=True)
class Failure:
    """A text that a reader could not stand, and what came of it."""

    reader: str
    seed: int
    data: bytes
    trace: str


class TooLong(BaseException):
    """Not an `Exception`: no reader may take it for its own."""


def _ring(number: int, frame: FrameType | None) -> None:
    raise TooLong


def try_text(reader: Reader, data: bytes, seed: int) -> Failure | None:
    """Read the text in a directory of its own."""
    before = signal.signal(signal.SIGALRM, _ring)
    signal.alarm(LONGEST)
    try:
        with tempfile.TemporaryDirectory() as directory:
            reader.read(data, Path(directory))
    except InternalError:
        return Failure(reader.name, seed, data, traceback.format_exc())
    except RaceproofError as error:
        if not str(error).strip():
            return Failure(reader.name, seed, data, f"{type(error).__name__} without a message")
    except (Exception, TooLong):
        return Failure(reader.name, seed, data, traceback.format_exc())
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    return None


def texts(reader: Reader, seed: int) -> Iterator[tuple[int, bytes]]:
    """Damaged texts without end, each with the seed that makes it again."""
    seeds = reader.seeds()
    while True:
        rng = random.Random(f"{reader.name} {seed}")
        yield seed, reader.damage(rng, rng.choice(seeds), seeds)
        seed += 1


def soak(seed: int, seconds: float, readers: Sequence[Reader] = READERS) -> tuple[int, list[Failure]]:
    """Turn by turn until the time is over; how many texts were read, and which were not stood."""
    sources = [(reader, texts(reader, seed)) for reader in readers]
    failures: dict[tuple[str, str], Failure] = {}
    count, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        for reader, source in sources:
            for _ in range(max(1, 20 // reader.cost)):
                number, data = next(source)
                count += 1
                failure = try_text(reader, data, number)
                if failure is not None:  # one for each place
                    failures.setdefault((reader.name, "\n".join(failure.trace.splitlines()[-3:-1])), failure)
    return count, list(failures.values())


def main() -> int:
    parser = argparse.ArgumentParser(description="give damaged files to all readers")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--reader", choices=[reader.name for reader in READERS])
    args = parser.parse_args()
    chosen = [reader for reader in READERS if args.reader in (None, reader.name)]
    count, failures = soak(args.seed, args.seconds, chosen)
    for failure in failures:
        with tempfile.NamedTemporaryFile("wb", prefix="raceproof-text-", delete=False) as file:
            file.write(failure.data)
        print(f"{failure.reader}, seed {failure.seed}, text in {file.name}:\n{failure.trace}", file=sys.stderr)
    print(f"{count} damaged texts, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
