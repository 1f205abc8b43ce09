"""Which functions are analysed once per call: allocation wrappers and small helpers on pointers.

A function that returns fresh memory is a name for malloc: if all its calls shared one object, every list that is
built with `new_node()` would be the same list. A small leaf function that hands on or stores its pointer arguments
(`next(p)`, `push(stack, node)`) would mix the lists of all its callers. Both get their own copy of the constraints
per call site, one level deep, two where one such function calls another.

Cloning never changes what is sound: every call goes to some copy, and a copy has all constraints of the body.
"""

from __future__ import annotations

from typing import Final

from raceproof.facts.library.effects import Returns
from raceproof.facts.library.libc import effect_of
from raceproof.facts.pointers.objects import Context
from raceproof.ir import (
    Address,
    Alloca,
    Call,
    Cast,
    CompareExchange,
    Function,
    Gep,
    Instr,
    IntConst,
    Load,
    Operand,
    Phi,
    Program,
    PtrType,
    Reg,
    Return,
    Rmw,
    Select,
    SiteId,
    Store,
)

MAX_WRAPPER: Final = 60
MAX_LEAF: Final = 24
MAX_SITES: Final = 40
MAX_COPIED: Final = 6000
"""Instructions times call sites: a tiny wrapper may have more calls than MAX_SITES."""
DEPTH: Final = 2


class CloningPolicy:
    """Decides the context in which a direct call analyses its callee."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._length = {name: sum(1 for _ in f.instructions()) for name, f in program.functions.items()}
        self._sites: dict[str, int] = {}
        for function in program.functions.values():
            for instr in function.instructions():
                if isinstance(instr, Call) and isinstance(instr.callee, Address):
                    self._sites[instr.callee.symbol] = self._sites.get(instr.callee.symbol, 0) + 1
        self._left = 2 * sum(self._length.values()) + 20_000
        self._is_wrapper: dict[str, bool] = {}
        self._decided: dict[str, bool] = {}

    def context(self, caller: Context, site: SiteId, callee: str) -> Context:
        """The context for `callee` when it is called at `site` in a function analysed in context `caller`."""
        decided = self._decided.get(callee)
        if decided is None:
            decided = self._decided[callee] = self._is_worth_it(callee)
        return (*caller, site)[-DEPTH:] if decided else ()

    def take(self, function: str) -> bool:
        """Whether there is room for one more copy of the function; counts it if so."""
        if self._left < self._length[function]:
            return False
        self._left -= self._length[function]
        return True

    def _is_worth_it(self, name: str) -> bool:
        length, sites = self._length[name], self._sites.get(name, 0)
        if sites < 2 and not self._is_called_in_clone(name):
            return False
        if sites > MAX_SITES and length * sites > MAX_COPIED:
            return False
        if length <= MAX_WRAPPER and self.is_wrapper(name):
            return True
        return length <= MAX_LEAF and _is_pointer_leaf(self._program, self._program.functions[name])

    def _is_called_in_clone(self, name: str) -> bool:
        # A wrapper with one call site needs its own context where that call is itself in a cloned wrapper.
        return self._sites.get(name, 0) == 1 and self._length[name] <= MAX_WRAPPER and self.is_wrapper(name)

    def is_wrapper(self, name: str) -> bool:
        """Whether all pointers that the function returns come from allocations in it or in its wrappers."""
        known = self._is_wrapper.get(name)
        if known is None:
            self._is_wrapper[name] = False  # a recursive function is not a wrapper
            known = self._is_wrapper[name] = _returns_fresh(self, self._program, self._program.functions[name])
        return known


def _returns_fresh(policy: CloningPolicy, program: Program, function: Function) -> bool:
    if not isinstance(function.returns, PtrType):
        return False
    definitions: dict[str, Instr] = {}
    stores: dict[str, list[Operand]] = {}
    work: list[Operand] = []
    for instr in function.instructions():
        if isinstance(instr, Return):
            if instr.value is not None:
                work.append(instr.value)
        elif isinstance(instr, Store):
            if isinstance(instr.address, Reg):
                stores.setdefault(instr.address.name, []).append(instr.value)
        elif isinstance(instr, Phi | Select | Cast | Gep | Load | Alloca | Call) and instr.result is not None:
            definitions[instr.result.name] = instr
    found = False
    seen: set[str] = set()
    while work:
        operand = work.pop()
        if isinstance(operand, IntConst):
            continue
        if not isinstance(operand, Reg) or operand.name not in definitions:
            return False  # a parameter or a global's address
        if operand.name in seen:
            continue
        seen.add(operand.name)
        match definitions[operand.name]:
            case Phi(incoming=incoming):
                work.extend(value for value, _ in incoming)
            case Select(if_true=a, if_false=b):
                work.extend((a, b))
            case Cast(value=value):
                work.append(value)
            case Gep(base=base, terms=()):
                work.append(base)
            case Load(address=Reg(name=slot)) if isinstance(definitions.get(slot), Alloca):
                # A slot whose address an allocator took (posix_memalign): what is stored in it is followed too.
                work.extend(stores.get(slot, ()))
                found = found or _filled_by_allocator(program, function, slot)
            case Call(callee=Address(symbol=callee), args=args):
                effect = effect_of(callee, program)
                if callee in program.functions:
                    if not policy.is_wrapper(callee):
                        return False
                    found = True
                elif effect is not None and effect.returns in (Returns.FRESH, Returns.OPAQUE):
                    found = True
                elif effect is not None and effect.returns is Returns.ARG and effect.returns_arg is not None:
                    work += args[effect.returns_arg : effect.returns_arg + 1]
                else:
                    return False
            case Call():
                found = True  # perhaps an allocator behind a pointer; a copy too many does no harm
            case _:
                return False
    return found


def _filled_by_allocator(program: Program, function: Function, slot: str) -> bool:
    for instr in function.instructions():
        if isinstance(instr, Call) and isinstance(instr.callee, Address) and Reg(slot) in instr.args:
            effect = effect_of(instr.callee.symbol, program)
            if effect is not None and instr.args.index(Reg(slot)) in effect.fresh_into:
                return True
    return False


def _is_pointer_leaf(program: Program, function: Function) -> bool:
    """A function that calls nothing of the program and returns, stores or swaps pointers it was given."""
    if not any(isinstance(p.type, PtrType) for p in function.params):
        return False
    moves = isinstance(function.returns, PtrType)
    for instr in function.instructions():
        match instr:
            case Call(callee=Address(symbol=callee)):
                if callee in program.functions or effect_of(callee, program) is None:
                    return False
            case Call():
                return False
            case Store(type=PtrType()) | Rmw(type=PtrType()) | CompareExchange(type=PtrType()):
                moves = True
            case _:
                pass
    return moves
