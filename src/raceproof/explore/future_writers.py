"""Which functions write a global variable, where that is all that is done with its address: for `future_places`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from raceproof.ir import Address, Function, Gep, Load, Operand, OtherConst, Program, Reg, Store, operands


class Writers:
    """Which functions write each global variable whose address is used for nothing but to load and store."""

    def __init__(self, program: Program) -> None:
        self._functions: dict[str, set[str]] = {name: set() for name in program.globals}
        for function in program.functions.values():
            self._look_at(function)
        for variable in program.globals.values():
            for cell in variable.initial:
                self._lose(_symbols_in(cell.value))

    def of(self, symbol: str) -> set[str] | None:
        """None: any function may."""
        return self._functions.get(symbol)

    def _look_at(self, function: Function) -> None:
        inside: dict[str, set[str]] = {}  # registers that point into a variable
        changed = True
        while changed:
            changed = False
            for instr in function.instructions():
                if isinstance(instr, Gep) and (into := self._pointed(instr.base, inside)):
                    before = inside.setdefault(instr.result.name, set())
                    changed |= not into <= before
                    before |= into
        for instr in function.instructions():
            used = operands(instr)
            match instr:
                case Gep(base=base):
                    used = tuple(o for o in used if o != base)
                case Load():
                    used = ()
                case Store(address=address, value=value):
                    used = (value,)
                    for symbol in self._pointed(address, inside):
                        if symbol in self._functions:
                            self._functions[symbol].add(function.name)
            for operand in used:
                self._lose(self._pointed(operand, inside))

    @staticmethod
    def _pointed(operand: Operand, inside: Mapping[str, set[str]]) -> set[str]:
        return inside.get(operand.name, set()) if isinstance(operand, Reg) else _symbols_in(operand)

    def _lose(self, symbols: Iterable[str]) -> None:
        for symbol in symbols:
            self._functions.pop(symbol, None)


def _symbols_in(operand: Operand) -> set[str]:
    match operand:
        case Address(symbol=symbol):
            return {symbol}
        case OtherConst(addresses=addresses):
            return {address.symbol for address in addresses}
    return set()
