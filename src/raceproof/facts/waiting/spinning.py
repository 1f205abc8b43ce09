"""Loops that may wait for another thread by reading, again and again, what it would write.

Errs on the side of more: every loop that the explorer treats as a wait (`frontend.spin_loops`) is among them. A round
of such a loop stores nothing, and nothing that it carries round is a counter.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from raceproof.facts.flow.function_info import FunctionInfo
from raceproof.facts.flow.world import World
from raceproof.facts.library.libc import effect_of
from raceproof.facts.library.sync_api import sync_op
from raceproof.ir import Alloca, Call, Instr, Load, Operand, Phi, Store, Terminator, operands, result
from raceproof.model import Unaccounted


class SpinLoops:
    """Finds them, function by function."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._quiet: dict[str, bool] = {}

    def in_function(self, name: str) -> Iterator[Unaccounted]:
        info = self._world.info(name)
        for header, body in info.loops.items():
            instructions = [
                i for label in sorted(body) for i in (*info.blocks[label].body, info.blocks[label].terminator)
            ]
            if not _counts(info, header, body) and self._stores_nothing(instructions):
                pos = next((i.pos for i in instructions if i.pos is not None), None)
                yield Unaccounted("a loop may wait until a variable changes", pos)

    def _stores_nothing(self, instructions: Collection[Instr | Terminator]) -> bool:
        return not any(
            isinstance(i, Store | Alloca) or (isinstance(i, Call) and not self._is_quiet(i)) for i in instructions
        )

    def _is_quiet(self, call: Call) -> bool:
        """Whether the call may be one that changes nothing."""
        return any(map(self._may_be_quiet, self._world.callees(call))) or not self._world.callees(call)

    def _may_be_quiet(self, name: str) -> bool:
        function = self._world.program.functions.get(name)
        if function is None:
            effect = effect_of(name, self._world.program)
            return sync_op(name) is not None or effect is None or not (effect.writes or effect.frees or effect.fills)
        if name not in self._quiet:
            self._quiet[name] = True  # a recursive call says nothing new
            self._quiet[name] = self._stores_nothing(list(function.instructions()))
        return self._quiet[name]


def _counts(info: FunctionInfo, header: str, body: Collection[str]) -> bool:
    """A value that is carried round is made of itself: such a loop gets on by itself, whatever others do."""
    inside = [i for label in body for i in (*info.blocks[label].body, info.blocks[label].terminator)]
    carried = [phi for phi in info.blocks[header].body if isinstance(phi, Phi) and _is_carried(phi, body, inside)]
    made_of: dict[Operand, tuple[Operand, ...]] = {}
    for instr in inside:
        made = result(instr)
        if made is not None and not isinstance(instr, Load | Call):
            made_of[made] = operands(instr)
    results = {phi.result for phi in carried}
    work: list[Operand] = [value for phi in carried for value, label in phi.incoming if label in body]
    seen: set[Operand] = set()
    while work:
        value = work.pop()
        if value in results:
            return True
        if value not in seen:
            seen.add(value)
            work += made_of.get(value, ())
    return False


def _is_carried(phi: Phi, body: Collection[str], inside: Collection[Instr | Terminator]) -> bool:
    """Whether a round may begin with another value than the one before, and asks for it."""
    back = {value for value, label in phi.incoming if label in body}
    first = {value for value, label in phi.incoming if label not in body}
    if back <= {phi.result} or (len(first) == 1 and back <= first | {phi.result}):
        return False
    return any(phi.result in operands(i) for i in inside if i is not phi)
