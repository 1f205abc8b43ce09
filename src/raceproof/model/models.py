"""What the user says about functions: locks made at home, accesses that are meant to be as they are, other libraries.

Taken for granted by the facts, and listed as assumptions wherever it was used.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, unique

from raceproof.ir import FunctionModel


@unique
class LockAction(Enum):
    ACQUIRE = "acquire"
    TRY = "try"  # acquired if the result is `LockModel.success`
    RELEASE = "release"


@dataclass(frozen=True, slots=True)
class LockModel:
    """`function` does `action` to the lock that its argument points to, and nothing else to any lock.

    Arguments count from 1. With `argument` 0 there is one lock for the whole program: the one named `lock`.
    `shared`: it is taken for reading, and excludes only those who take it for writing. A try that fails returns
    `failure`; None: anything but `success`. `optional`: not every program has the function. `where`: the table of the
    configuration that says so; a lock that is taken is given back by a function of the same table.
    """

    function: str
    action: LockAction
    argument: int = 1
    lock: str = ""
    shared: bool = False
    success: int = 1
    failure: int | None = 0
    optional: bool = False
    where: str = field(default="", compare=False)

    def __str__(self) -> str:
        what = f"its argument {self.argument}" if self.argument else f"the lock `{self.lock}`"
        verb = "releases" if self.action is LockAction.RELEASE else "acquires"
        reading = " for reading" if self.shared and self.action is not LockAction.RELEASE else ""
        return f"`{self.function}` {verb} {what}{reading}{self._when()}"

    def _when(self) -> str:
        if self.action is not LockAction.TRY:
            return ""
        otherwise = f", and else returns {self.failure}" if self.failure is not None else ""
        return f" if it returns {self.success}{otherwise}"


@dataclass(frozen=True, slots=True)
class SafeFunction:
    """Accesses in `function`, and in what only it calls, are no races; `reason` is the user's. See `LockModel`."""

    function: str
    reason: str
    optional: bool = False
    where: str = field(default="", compare=False)

    def __str__(self) -> str:
        return f"accesses in `{self.function}` are no races: {self.reason}"


@dataclass(frozen=True, slots=True)
class Models:
    """`functions`: of what the program only calls."""

    locks: tuple[LockModel, ...] = ()
    safe: tuple[SafeFunction, ...] = ()
    functions: tuple[FunctionModel, ...] = ()

    def numbered(self) -> tuple[str, ...]:
        """The functions whose arguments some model numbers: their prototypes are needed."""
        locks = (model.function for model in self.locks if model.argument)
        return tuple(sorted({*locks, *(model.function for model in self.functions if any(model.all_numbers()))}))
