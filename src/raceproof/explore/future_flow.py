"""What may still happen from each point of a function: a backward data flow over the whole program.

A `Future` says, for one point: which accesses may come, with which locks taken and given back before them; the effect
on locks up to the return of the function; the synchronisation operations and thread creations that may come.

Calls are replaced by the future of the callee's entry. Functions are solved callees first, recursion by iteration.
Everything errs on the side of more accesses and fewer locks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from raceproof.core import Budget, reverse_postorder, strongly_connected
from raceproof.explore.future_locks import IDENTITY, Effect, Formal, LockName, Static, bits
from raceproof.explore.future_steps import CallStep, Change, Outcome, Step, Steps
from raceproof.ir import Block, Function, Return, SiteId, successors

MAX_LOCKSETS = 4


@dataclass(frozen=True, slots=True)
class Future:
    """`accesses`: effect on locks up to an access -> the accesses, as bits. `leave`: the effect up to the return; None
    if the function does not return. `operations` and `creates`: thread operations and start functions, as bits."""

    accesses: Mapping[Effect, int] = field(default_factory=dict)
    leave: Effect | None = None
    operations: int = 0
    creates: int = 0

    @property
    def inside(self) -> Future:
        """Without what comes after the return."""
        return Future(self.accesses, None, self.operations, self.creates)


NOTHING = Future()


class FutureFlow:
    """Solves the whole program; `entry` has the future of each function's entry afterwards."""

    def __init__(self, steps: Steps, budget: Budget) -> None:
        self._steps = steps
        self._locks = steps.locks
        self._budget = budget
        self.entry: dict[str, Future] = dict.fromkeys(steps.functions, NOTHING)
        self._block: dict[tuple[str, str], Future] = {}
        self._renamed: dict[tuple[SiteId, str], tuple[Future, Future]] = {}

    def solve(self) -> None:
        graph = self._steps.may_run_inside
        for component in strongly_connected(self._steps.functions, lambda name: graph[name]):
            is_recursive = len(component) > 1 or component[0] in graph[component[0]]
            changed = True
            while changed:
                changed = False
                for name in component:
                    after = self._solve_function(name)
                    if after != self.entry[name]:
                        self.entry[name] = after
                        changed = is_recursive

    def _solve_function(self, name: str) -> Future:
        function = self._steps.functions[name]
        blocks = {b.label: b for b in function.blocks}
        order = reverse_postorder(function.blocks[0].label, lambda label: successors(blocks[label].terminator))
        order.reverse()
        position = {label: i for i, label in enumerate(order)}
        has_loop = any(position[s] >= position[label] for label in order for s in successors(blocks[label].terminator))
        changed = True
        while changed:
            self._budget.check()
            changed = False
            for label in order:
                before = self._block.get((name, label))
                after = self._before_block(function, blocks[label])
                if before is not None and after != before:
                    after = self._joined((before, after))  # only grows, though locksets were merged on the way
                if after != before:
                    self._block[name, label] = after
                    changed = has_loop
        start = self._block[name, order[-1]]
        return self._joined((self.entry[name], start))

    def points(self, name: str) -> Iterator[tuple[Step, Future, Future]]:
        """Each step of a function with the future before it, and the one that a frame called there returns to."""
        function = self._steps.functions[name]
        for block in function.blocks:
            state = self._at_end(function, block)
            for step in reversed(self._steps.of_block(name, block.label)):
                before, back = self._before_step(step, state)
                yield step, before, back
                state = before

    def _before_block(self, function: Function, block: Block) -> Future:
        state = self._at_end(function, block)
        for step in reversed(self._steps.of_block(function.name, block.label)):
            state, _ = self._before_step(step, state)
        return state

    def _at_end(self, function: Function, block: Block) -> Future:
        name = function.name
        if isinstance(block.terminator, Return):
            return self._joined([Future(leave=IDENTITY), *self._from_outside(self._steps.follows.get(name, ()))])
        found = [self._block[key] for s in successors(block.terminator) if (key := (name, s)) in self._block]
        return found[0] if len(found) == 1 else self._joined(found)

    def _from_outside(self, names: Iterable[str]) -> list[Future]:
        """The futures of functions that are run at the end of a thread: nothing comes back from them."""
        return [self.without_parameters(self.entry[name]).inside for name in names]

    # -- steps

    def _before_step(self, step: Step, after: Future) -> tuple[Future, Future]:
        if step.call is None:
            return self._with_step(step, after), after
        base = self._before_library(step, step.call, after)
        back = after
        if step.call.callbacks:
            base = self._around_callbacks(step, step.call, base)
            back = self._joined((after, base))
        futures = [base]
        for name in step.call.functions:
            inner = self._of_callee(step, name)
            futures.append(inner.inside)
            if inner.leave is not None:
                futures.append(self._preceded(inner.leave, after))
        return self._with_step(step, self._joined(futures)), back

    def _with_step(self, step: Step, state: Future) -> Future:
        operations = state.operations | step.operation
        creates = state.creates | step.creates
        accesses = state.accesses
        if step.accesses:
            accesses = _with_accesses(accesses, IDENTITY, step.accesses)
        elif operations == state.operations and creates == state.creates:
            return state
        return Future(accesses, state.leave, operations, creates)

    def _before_library(self, step: Step, call: CallStep, after: Future) -> Future:
        """The future if the call is one of the library's functions, callbacks apart."""
        futures: list[Future] = []
        for outcome in call.outcomes:
            if outcome.change is Change.END:
                futures += self._from_outside(self._steps.at_end)
                continue
            futures.append(self._changed(outcome, after))
            if step.accesses and outcome.change is Change.RELEASE:  # before or behind the release
                futures.append(Future({(0, outcome.released): step.accesses}))
        return self._joined(futures)

    def _changed(self, outcome: Outcome, after: Future) -> Future:
        match outcome.change:
            case Change.TAKE:
                return self._mapped(after, lambda e: self._locks.take(e, outcome.lock, outcome.shared))
            case Change.RELEASE:
                return self._preceded((0, outcome.released), after)
            case Change.NOTHING | Change.END:
                return after

    def _around_callbacks(self, step: Step, call: CallStep, base: Future) -> Future:
        """The future from within a library call that runs functions of the program any number of times."""
        inner = [self.without_parameters(self.entry[name]) for name in call.callbacks]
        state = self._joined([self._with_step(step, base), *(i.inside for i in inner)])
        while True:
            self._budget.check()
            again = self._joined([state, *(self._preceded(i.leave, state) for i in inner if i.leave is not None)])
            if again == state:
                return state
            state = again

    def _of_callee(self, step: Step, name: str) -> Future:
        entry = self.entry[name]
        known = self._renamed.get((step.site, name))
        if known is not None and known[0] is entry:
            return known[1]

        def rename(formal: Formal) -> LockName | None:
            place = self._steps.argument(step, formal.index)
            if place is None:
                return None
            if isinstance(place[0], int):
                return Formal(step.function, place[0], place[1] + formal.offset, formal.site)
            return Static(place[0], place[1] + formal.offset)

        result = self._mapped(entry, lambda effect: self._locks.renamed(effect, rename))
        self._renamed[step.site, name] = (entry, result)
        return result

    # -- futures as values

    def without_parameters(self, future: Future) -> Future:
        """The future without names for parameters."""
        return self._mapped(future, lambda effect: self._locks.renamed(effect, lambda _: None))

    def _preceded(self, effect: Effect, future: Future) -> Future:
        """What may happen from before a piece of path with that effect, later than the piece."""
        if effect == IDENTITY:
            return future
        return self._mapped(future, lambda later: self._locks.then(effect, later))

    def _mapped(self, future: Future, change: Callable[[Effect], Effect]) -> Future:
        accesses: dict[Effect, int] = {}
        is_same = True
        for effect, found in future.accesses.items():
            new = change(effect)
            is_same &= new == effect
            accesses[new] = accesses.get(new, 0) | found
        leave = None if future.leave is None else change(future.leave)
        if is_same and leave == future.leave:
            return future
        return Future(_normal(accesses), leave, future.operations, future.creates)

    def _joined(self, futures: Iterable[Future]) -> Future:
        found = [f for f in futures if f is not NOTHING]
        if len(found) <= 1:
            return found[0] if found else NOTHING
        accesses = dict(found[0].accesses)
        leave: Effect | None = None
        operations = creates = 0
        for future in found:
            operations |= future.operations
            creates |= future.creates
            if future.leave is not None:
                leave = future.leave if leave is None else _weaker(leave, future.leave)
            for effect, some in future.accesses.items():
                accesses[effect] = accesses.get(effect, 0) | some
        return Future(_normal(accesses), leave, operations, creates)


def _weaker(one: Effect, two: Effect) -> Effect:
    return one[0] & two[0], one[1] | two[1]


def _is_weaker(one: Effect, two: Effect) -> bool:
    """Whether `one` promises no lock that `two` does not: an access with both is well told by `one`."""
    return one[0] & ~two[0] == 0 and two[1] & ~one[1] == 0


def _with_accesses(accesses: Mapping[Effect, int], effect: Effect, more: int) -> Mapping[Effect, int]:
    """Add accesses with one effect to a normal mapping."""
    for other, found in accesses.items():
        if more & found and _is_weaker(other, effect):
            more &= ~found
    if not more:
        return accesses
    result: dict[Effect, int] = {}
    for other, found in accesses.items():
        if more & found and other != effect and _is_weaker(effect, other):
            found &= ~more
        if found:
            result[other] = found
    result[effect] = result.get(effect, 0) | more
    return _limited(result)


def _normal(accesses: dict[Effect, int]) -> dict[Effect, int]:
    """Leave out what is told by a weaker effect, and all but a few effects of each access."""
    if len(accesses) > 1:
        items = list(accesses.items())
        for weak, some in items:
            for effect, found in items:
                if some & found and weak != effect and _is_weaker(weak, effect):
                    accesses[effect] &= ~some
        accesses = {effect: found for effect, found in accesses.items() if found}
    return _limited(accesses)


def _limited(accesses: dict[Effect, int]) -> dict[Effect, int]:
    """Merge the effects of an access that has more than `MAX_LOCKSETS`: what all of them promise stays."""
    if len(accesses) <= MAX_LOCKSETS:
        return accesses
    with_at_least = [0] * (MAX_LOCKSETS + 1)
    for found in accesses.values():
        for count in range(MAX_LOCKSETS, 0, -1):
            with_at_least[count] |= with_at_least[count - 1] & found
        with_at_least[0] |= found
    too_many = with_at_least[MAX_LOCKSETS]
    if not too_many:
        return accesses
    merged: dict[Effect, int] = {}
    for access in bits(too_many):
        effects = [effect for effect, found in accesses.items() if found >> access & 1]
        effect = effects[0]
        for other in effects[1:]:
            effect = _weaker(effect, other)
        merged[effect] = merged.get(effect, 0) | 1 << access
    result = {effect: rest for effect, found in accesses.items() if (rest := found & ~too_many)}
    for effect, found in merged.items():
        result[effect] = result.get(effect, 0) | found
    return result
