"""What the user says about a function that the program calls and does not define."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, unique


@unique
class Result(Enum):
    """What a function returns, where that is no argument of it."""

    FRESH = "fresh"  # memory that nobody else has
    NOTHING = "nothing"  # no pointer
    NEVER = "never"  # it does not return: it ends the program, or runs on


@dataclass(frozen=True, slots=True)
class FunctionModel:
    """`function` does what it does before it returns, and only to what its arguments lead to. It ends no thread and
    uses no lock of the program.

    Arguments count from 1; None: nothing is said, so that it may be any. `reads`, `writes`: it touches only what these
    lead to, directly or through pointers in memory. `frees`: what these point to. `keeps`: to what these lead to it has
    pointers when it has returned; if nothing is said, all but those that it frees or calls. `calls`: the functions that
    it calls before it returns; `passes`: the arguments that it calls them with, in their order: -1 for a pointer to an
    element of the array that argument 1 points to, 0 for anything that it can reach. `returns`: an argument, or a
    `Result`. `shares`: it may hand out memory of its own, by storing, returning or passing on pointers to it, that
    other calls hand out, too. `gives_input`: its results may depend on what is outside of the program. `optional`: not
    every program has the function. `where`: the table of the configuration that says so.
    """

    function: str
    reads: tuple[int, ...] | None = None
    writes: tuple[int, ...] | None = None
    frees: tuple[int, ...] = ()
    keeps: tuple[int, ...] | None = None
    calls: tuple[int, ...] | None = None
    passes: tuple[int, ...] | None = None
    returns: int | Result | None = None
    shares: bool = True
    gives_input: bool = True
    optional: bool = False
    where: str = field(default="", compare=False)

    def numbers(self) -> Iterator[int]:
        """The arguments that it is about."""
        for group in (self.reads, self.writes, self.frees, self.keeps, self.calls):
            yield from group or ()

    def all_numbers(self) -> Iterator[int]:
        """Likewise, with the one that it returns and those that it passes on."""
        yield from self.numbers()
        if isinstance(self.returns, int):
            yield self.returns
        yield from (abs(number) for number in self.passes or () if number)

    def __str__(self) -> str:
        parts = [*self._touches(), *self._calls()]
        if self.keeps is not None:
            parts.append(f"keeps {_arguments(self.keeps)}")
        match self.returns:
            case int(number):
                parts.append(f"returns argument {number}")
            case Result.FRESH:
                parts.append("returns fresh memory")
            case Result.NOTHING:
                parts.append("returns no pointer")
            case Result.NEVER:
                parts.append("never returns")
        if not self.shares:
            parts.append("hands out no memory twice")
        if not self.gives_input:
            parts.append("gives no input")
        return f"`{self.function}` {', '.join(parts)}, and does nothing else that the program could see"

    def _touches(self) -> Iterator[str]:
        if self.reads is None and self.writes is None:
            yield "touches what its arguments lead to"
        elif self.reads or self.writes:
            for verb, numbers in (("reads", self.reads), ("writes", self.writes)):
                if numbers:
                    yield f"{verb} what {_arguments(numbers)} {'lead' if numbers[1:] else 'leads'} to"
        else:
            yield "touches no memory"
        if self.frees:
            yield f"frees {_arguments(self.frees)}"

    def _calls(self) -> Iterator[str]:
        if self.calls is not None:
            passed = ", ".join(map(_passed, self.passes or ()))
            with_what = f" with ({passed})" if self.passes else ""
            yield f"calls {_arguments(self.calls)}{with_what}" + (" before it returns" if self.calls else "")


def _passed(number: int) -> str:
    return "anything" if not number else str(number) if number > 0 else f"{-number}[]"


def _arguments(numbers: tuple[int, ...]) -> str:
    if not numbers:
        return "no argument"
    listed = " and ".join((", ".join(map(str, numbers[:-1])), str(numbers[-1]))) if numbers[1:] else str(numbers[0])
    return f"argument{'s' if numbers[1:] else ''} {listed}"
