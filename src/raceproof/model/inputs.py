"""What a program may be given from outside, and what it was given in the executions of a run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique

from raceproof.core import SourcePos


@unique
class InputKind(Enum):
    """Where a value comes from that the program's text does not decide."""

    ARGUMENTS = "arguments"
    ENVIRONMENT = "environment"
    STREAM = "stream"  # standard input, files, pipes, the network
    CLOCK = "clock"
    RANDOM = "random"
    SYSTEM = "system"  # ids of processes and users, limits, numbers of processors, other processes, signals
    ADDRESSES = "addresses"  # where objects lie in memory, and what thread ids look like as numbers
    UNKNOWN = "unknown"  # code that nothing describes


@dataclass(frozen=True, slots=True)
class ProgramInput:
    """A place in the program that may be given something which can matter to its threads.

    `what`: the function or variable through which it comes; `name`: which one of the kind it asks for, where that is
    known (of the environment, the variable).
    """

    kind: InputKind
    what: str
    pos: SourcePos | None
    name: str | None = None

    def __str__(self) -> str:
        asked = f'{self.what}("{self.name}")' if self.name is not None else self.what
        named = asked if self.kind is InputKind.ADDRESSES and " " in asked else f"`{asked}`"
        return named + (f" at {self.pos.file}:{self.pos.line}" if self.pos is not None else "")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is around a program when it is executed, beside its arguments: all that a run must be repeated with.

    `environment`: variables that are set in place of those that it would inherit. `clients` and `servers`: commands for
    the shell that run beside it; clients are started when it listens, servers before it. `directory`: where it runs;
    what it writes there is gone afterwards. `libraries`: shared objects without sources that it is linked with, as the
    loader finds them.
    """

    stdin: bytes = b""
    environment: tuple[tuple[str, str], ...] = ()
    clients: tuple[str, ...] = ()
    servers: tuple[str, ...] = ()
    directory: str | None = None
    libraries: tuple[str, ...] = ()

    def needs_processes(self) -> bool:
        """Whether what an execution leaves behind is more than memory."""
        return bool(self.clients or self.servers or self.libraries or self.directory is not None)


@dataclass(frozen=True, slots=True)
class GivenInput:
    """What the program was given when it was executed, and `reads`: where it may ask for such things.

    `environment`: the variables that the program asks for by name, or that were set for it, with their values (None:
    not set). `is_accepted`: the user has said that a proof for this input is enough.
    """

    arguments: tuple[str, ...]
    stdin: str
    environment: tuple[tuple[str, str | None], ...]
    reads: tuple[ProgramInput, ...]
    clients: tuple[str, ...] = ()
    is_accepted: bool = False
    servers: tuple[str, ...] = ()
    directory: str | None = None

    def described(self, most: int = 3) -> str:
        """In one line: what was given, and the first `most` places that ask for something."""
        parts = [f"arguments: {' '.join(self.arguments) or 'none'}"]
        parts.append(f"standard input: {f'{len(self.stdin)} characters' if self.stdin else 'empty'}")
        parts += [f"{name}{f'={value}' if value is not None else ' not set'}" for name, value in self.environment]
        parts += [f"client: {command}" for command in self.clients]
        parts += [f"server: {command}" for command in self.servers]
        shown = [str(read) for read in self.reads[:most]]
        more = len(self.reads) - len(shown)
        if shown:
            parts.append(f"the program reads {', '.join(shown)}" + (f" and {more} more" if more else ""))
        return "; ".join(parts)
