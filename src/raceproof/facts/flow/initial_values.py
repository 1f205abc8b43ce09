"""What global variables hold before anybody writes them."""

from __future__ import annotations

from collections.abc import Mapping

from raceproof.ir import IntConst, Program
from raceproof.model import Base, Linear, ObjectId


class InitialValues:
    """`names`: the global variable that an object is."""

    def __init__(self, program: Program, names: Mapping[ObjectId, str]) -> None:
        self._program = program
        self._names = names

    def value(self, address: Linear) -> int | None:
        """The integer that a global holds before anybody writes it."""
        match address.terms:
            case ((Base(object=identity), 1),) if identity in self._names:
                variable = self._program.globals.get(self._names[identity])
                if variable is None or variable.is_external or not variable.initial_complete:
                    return None
                for cell in variable.initial:
                    if cell.offset == address.constant:
                        return cell.value.value if isinstance(cell.value, IntConst) else None
                return 0
        return None

    def is_zero(self, target: ObjectId) -> bool:
        """All bytes of a global, of which there is one, are zero before anybody writes it."""
        variable = self._program.globals.get(self._names[target]) if target in self._names else None
        if variable is None or variable.is_external or variable.is_thread_local:
            return False
        return variable.initial_complete and not variable.initial

    def is_whole(self, address: Linear, size: int) -> bool:
        """The bytes are one initial value, not a part of one or several: only then is its number theirs."""
        match address.terms:
            case ((Base(object=identity), 1),) if identity in self._names:
                variable = self._program.globals.get(self._names[identity])
                first, last = address.constant, address.constant + size
                touched = (
                    []
                    if variable is None
                    else [c for c in variable.initial if c.offset < last and c.offset + c.size > first]
                )
                return all((c.offset, c.size) == (first, size) for c in touched)
        return False
