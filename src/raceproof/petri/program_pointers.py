"""Which global object a pointer certainly is: the only locks that get a place in the net.

A place is the name of a global variable and an offset. Calls are inlined, so a parameter is what the caller gave: an
`Arguments` has the places of a function's parameters in one calling context. What is not certain is None.
"""

from __future__ import annotations

from typing import Final

from raceproof.ir import Address, Call, Cast, Function, Gep, Instr, IntConst, Operand, Program, Reg

Place = tuple[str, int]
"""A global variable and a byte in it."""

Arguments = tuple[Place | None, ...]
_STEPS: Final = 64


class Pointers:
    """Resolves operands; remembers what each register of a function is defined by."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._definitions: dict[str, dict[str, Instr]] = {}

    def place(self, function: Function, operand: Operand, arguments: Arguments) -> Place | None:
        """Where `operand` points, in every execution of this context; None if that is not certain."""
        offset = 0
        for _ in range(_STEPS):
            if isinstance(operand, Address):
                variable = self._program.globals.get(operand.symbol)
                if variable is None or variable.is_thread_local or variable.is_external:
                    return None
                return operand.symbol, offset + operand.offset
            if not isinstance(operand, Reg):
                return None
            definition = self.definition(function, operand)
            match definition:
                case Gep(terms=terms) if all(isinstance(term.index, IntConst) for term in terms):
                    offset += definition.offset
                    offset += sum(t.index.value * t.scale for t in terms if isinstance(t.index, IntConst))
                    operand = definition.base
                case Cast(op="bitcast" | "addrspacecast"):
                    operand = definition.value
                case None:
                    given = _argument(function, operand, arguments)
                    return None if given is None else (given[0], given[1] + offset)
                case _:
                    return None
        return None

    def passed(self, caller: Function, call: Call, arguments: Arguments, callee: Function) -> Arguments:
        """The places of the callee's parameters; a structure passed by value is a copy of its own."""
        given: list[Place | None] = []
        for index, parameter in enumerate(callee.params):
            is_known = parameter.by_value is None and index < len(call.args)
            given.append(self.place(caller, call.args[index], arguments) if is_known else None)
        return tuple(given)

    def definition(self, function: Function, register: Reg) -> Instr | None:
        """The instruction that defines the register; None for a parameter."""
        known = self._definitions.get(function.name)
        if known is None:
            known = self._definitions[function.name] = {}
            for block in function.blocks:
                for instr in block.body:
                    defined = getattr(instr, "result", None)  # stores and fences have none
                    if isinstance(defined, Reg):
                        known[defined.name] = instr
        return known.get(register.name)


def _argument(function: Function, register: Reg, arguments: Arguments) -> Place | None:
    for parameter, given in zip(function.params, arguments, strict=False):
        if parameter.name == register.name:
            return given
    return None


def unknown_arguments(function: Function) -> Arguments:
    return (None,) * len(function.params)
