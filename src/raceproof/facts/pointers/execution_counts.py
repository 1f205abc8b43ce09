"""What happens at most once in a run: sites, functions, and so objects that exist once.

A function runs at most once if there is one way into it, from a site that executes at most once: main, a function
called from one place outside loops, a thread that is created in one such place, a once-initialiser. A site executes
at most once if its function does and its block is on no cycle of the control flow graph.

All answers are must-answers: False means "not known to be at most once". Flow is not looked at, so a function with
a second call in dead code counts as called twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raceproof.core import strongly_connected
from raceproof.facts.pointers.calls import Entry, EntryKind
from raceproof.ir import Address, Call, Function, Program, SiteId, successors

RETURNS_TWICE = frozenset({"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "llvm.eh.sjlj.setjmp", "getcontext"})


class ExecutionCounts:
    """`instances` names the function of each instance, `entries` the ways into it.

    `once_controls` gives the control object of a pthread_once call where it is one known object that exists once.
    """

    def __init__(
        self,
        program: Program,
        instances: Sequence[str],
        entries: Mapping[int, Sequence[Entry]],
        once_controls: Mapping[SiteId, object],
    ) -> None:
        self._instances = instances
        self._entries = entries
        self._once_controls = once_controls
        self._of_function: dict[str, list[int]] = {}
        for number, name in enumerate(instances):
            self._of_function.setdefault(name, []).append(number)
        self._repeated: set[SiteId] = set()
        self._home: dict[SiteId, str] = {}
        for function in program.functions.values():
            self._repeated |= may_repeat(function)
            for instr in function.instructions():
                self._home[instr.id] = function.name
        self._once: dict[int, bool] = {}

    def executes_once(self, site: SiteId) -> bool:
        """Whether the site certainly executes at most once in a run."""
        return site not in self._repeated and self.runs_once(self._home[site])

    def runs_once(self, function: str) -> bool:
        """Whether the function certainly runs at most once, in all its instances together."""
        instances = self._of_function.get(function, [])
        return not instances or (len(instances) == 1 and self.instance_runs_once(instances[0]))

    def executes_once_in(self, instance: int, site: SiteId) -> bool:
        """Whether the site certainly executes at most once within the instance."""
        return site not in self._repeated and self.instance_runs_once(instance)

    def instance_runs_once(self, instance: int) -> bool:
        """Follow the one way in up to the program's start; anything else on the way means no."""
        followed: list[int] = []
        current, answer = instance, False
        while True:
            known = self._once.get(current)
            if known is not None or current in followed:
                answer = bool(known)
                break
            followed.append(current)
            entry = self._only_entry(current)
            if entry is None:
                break
            if entry.kind is EntryKind.ROOT or (entry.kind is EntryKind.ONCE and entry.site in self._once_controls):
                answer = True
                break
            if entry.kind in (EntryKind.CALLBACK, EntryKind.OUTSIDE) or entry.site in self._repeated:
                break
            if entry.caller is None:
                break
            current = entry.caller
        for number in followed:
            self._once[number] = answer
        return answer

    def _only_entry(self, instance: int) -> Entry | None:
        entries = self._entries.get(instance, ())
        if len(entries) == 1:
            return entries[0]
        controls = {self._once_controls.get(e.site) if e.site is not None else None for e in entries}
        all_once = all(e.kind is EntryKind.ONCE for e in entries)
        return entries[0] if entries and all_once and len(controls) == 1 and None not in controls else None


def may_repeat(function: Function) -> set[SiteId]:
    """Sites that may execute more than once per call of the function."""
    blocks = {block.label: block for block in function.blocks}
    for instr in function.instructions():
        if isinstance(instr, Call) and isinstance(instr.callee, Address) and instr.callee.symbol in RETURNS_TWICE:
            return {i.id for i in function.instructions()}
    repeated: set[SiteId] = set()
    if len(blocks) == 1 and not successors(function.blocks[0].terminator):
        return repeated
    for component in strongly_connected(blocks, lambda label: successors(blocks[label].terminator)):
        if len(component) > 1 or component[0] in successors(blocks[component[0]].terminator):
            for label in component:
                repeated.update(i.id for i in blocks[label].body)
                repeated.add(blocks[label].terminator.id)
    return repeated
