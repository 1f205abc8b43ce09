"""builds: what a build leaves behind. `raceproof cc` compiles as usual and records in each object how it was made."""

from raceproof.builds.elf import Elf, NotElf
from raceproof.builds.records import Compilation, Linking, Recorded, digest_of, has_records, is_elf, read_records
from raceproof.builds.wrapper import run_compiler

__all__ = [
    "Compilation",
    "Elf",
    "Linking",
    "NotElf",
    "Recorded",
    "digest_of",
    "has_records",
    "is_elf",
    "read_records",
    "run_compiler",
]
