"""Tables of what a thread may still do from where it stands, for property-driven pruning in the native search.

Follows [PDP, 3.2 and 3.3]: the accesses of branches that were not taken, with the locks acquired and released before
them, so that a subspace can be shown race-free without exploring it.
Paper -> here: rec-var-access-in-other-branch(x, L_acq, L_rel) -> `FutureAccess(access, acquired, released)`;
rec-lock-update-in-other-branch(L_acq, L_rel) -> `FuturePoint.leave`; mayUse(t, x) and lsSet(t) -> what
`future_races.may_race` makes of the points of a thread's stack.
Differs:
  * not branch records along one trace but a backward data flow from every program point (`future_flow`), so that
    nested branches, loops, calls, switches and early returns need no rules of their own;
  * L_acq holds only what is still held at the access, so a lock taken again after its release counts: the locks held
    there are at least (held now - L_rel) | L_acq, where the paper has held now | L_acq - L_rel;
  * accesses are those of open race pairs, not variables: which bytes two of them share was decided before;
  * locksets of different paths stay apart as in the paper, but at most `future_flow.MAX_LOCKSETS` for one access.

A lock is known by a *token*: token 0 is the atomic section, the others are addresses of global variables. Locks
without a token (on the heap, on stacks) are known to the run by their addresses while a thread holds them; the tables
say only where one of them may be given back. What a point says errs on the side of more accesses, more releases, fewer
acquisitions; a site that has no point must not be pruned on.

    future token 1                  its address is Futures.tokens[1], a global's name and an offset
    future point 4 17 before        point 4 is where a thread stands before site 17
    future point 5 21 after         ... and where the call at site 21 returns to
    future access 4 3 1,2s -        access 3 may come, with token 1 and (shared) 2 taken on the way, none given back
    future exit 4 - 1,d             on the way to the return of the function token 1 may be given back, and any lock
                                    without a token
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from raceproof.core import Budget, reverse_postorder
from raceproof.explore.future_flow import Future, FutureFlow
from raceproof.explore.future_locks import ALL, ATOMIC, UNNAMED, Effect, LockTable, Static, Whole, bits
from raceproof.explore.future_steps import Steps
from raceproof.ir import SiteId
from raceproof.model import AccessId, CallGraph, ConcurrentProgram, RacePair

MAX_ENTRIES: Final = 200_000

_OBSTACLES: Final = {
    "setjmp": "setjmp _setjmp sigsetjmp __sigsetjmp longjmp _longjmp siglongjmp __longjmp_chk "
    "llvm.eh.sjlj.setjmp llvm.eh.sjlj.longjmp",
    "context switches": "getcontext setcontext swapcontext makecontext",
    "cancellation": "pthread_cancel",
    "robust mutexes": "pthread_mutexattr_setrobust pthread_mutexattr_setrobust_np",
    "new processes": "fork vfork clone __clone",
}
_OBSTACLE_OF: Final = {name: what for what, names in _OBSTACLES.items() for name in names.split()}


@dataclass(frozen=True, slots=True)
class LockChange:
    """`acquired`: (token, shared) certainly taken and still held at the end. `released`: tokens that may have been
    given back; None: any. `unnamed`: so may locks that have no token."""

    acquired: tuple[tuple[int, bool], ...] = ()
    released: tuple[int, ...] | None = ()
    unnamed: bool = False


@dataclass(frozen=True, slots=True)
class FutureAccess:
    """An access that may still happen, and what happens to the locks before."""

    access: AccessId
    change: LockChange


@dataclass(frozen=True, slots=True)
class FuturePoint:
    """What may happen from a point on, in its function and what that calls. `leave` is None if it does not return."""

    accesses: tuple[FutureAccess, ...]
    leave: LockChange | None
    operations: tuple[SiteId, ...]
    creates: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Futures:
    """The tables. With a `reason` they are empty and nothing may be concluded from them.

    `tokens[0]` is None, the atomic section. `functions`: start functions, the program's entry first. Numbers of points
    are indices of `points`; several sites may share one. `after` has the calls of functions of the program, library
    calls that run functions of the program (the point is then within the call), and lock and unlock operations on
    locks that have no token there: a thread that stands before such an operation is after it with what it is about
    to take or give back. `objects`: the token of the object that a thread operation is about, where that is constant.
    """

    reason: str | None = None
    tokens: tuple[tuple[str, int] | None, ...] = (None,)
    functions: tuple[str, ...] = ()
    points: tuple[FuturePoint, ...] = ()
    before: Mapping[SiteId, int] = field(default_factory=lambda: MappingProxyType({}))
    after: Mapping[SiteId, int] = field(default_factory=lambda: MappingProxyType({}))
    entries: tuple[int, ...] = ()
    starts: Mapping[SiteId, tuple[int, ...]] = field(default_factory=lambda: MappingProxyType({}))
    objects: Mapping[SiteId, int] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def is_usable(self) -> bool:
        return self.reason is None


def compute_futures(
    cp: ConcurrentProgram,
    pairs: Sequence[RacePair],
    budget: Budget,
    extra_sites: Collection[SiteId] = (),
    *,
    has_frames_of_callbacks: bool = False,
) -> Futures:
    """The futures of all points where a thread may stand; `extra_sites` are points to have besides.

    `has_frames_of_callbacks`: the call stack has a frame for a library call (qsort, pthread_once) while it runs a
    function of the program. Without, what comes after that call would be lost, so the tables are then unusable.
    """
    if cp.calls is None:
        return Futures("the call graph is not known")
    wanted = sorted({a for pair in pairs for a in (pair.first, pair.second)})
    by_site: dict[SiteId, tuple[AccessId, ...]] = {}
    for access in wanted:
        site = cp.accesses[access].site
        by_site[site] = (*by_site.get(site, ()), access)
    steps = Steps(cp.program, cp.calls, by_site, frozenset(extra_sites))
    reason = _obstacle(steps, cp.calls, wanted, cp)
    if reason is None and not has_frames_of_callbacks:
        reason = _missing_frame(steps)
    if reason is not None:
        return Futures(reason)
    flow = FutureFlow(steps, budget)
    flow.solve()
    return _Tables(steps, flow).made()


def _obstacle(steps: Steps, calls: CallGraph, wanted: Sequence[AccessId], cp: ConcurrentProgram) -> str | None:
    """Why the futures would be wrong, if they would."""
    if calls.from_outside:
        return f"{min(calls.from_outside)} may be called by code that is not known"
    sites: set[SiteId] = set()
    for function in steps.functions.values():
        for block in function.blocks:
            for instr in block.body:
                sites.add(instr.id)
                targets = calls.targets.get(instr.id)
                if targets is None:
                    continue
                if targets.any_time:
                    return f"{targets.any_time[0]} may be run at any time by {', '.join(targets.externals)}"
                if targets.starts is None:
                    return f"the start function of a thread is not known ({instr.pos})"
                for name in targets.externals:
                    if name in _OBSTACLE_OF:
                        return f"the program uses {_OBSTACLE_OF[name]} ({name})"
    if any(cp.accesses[a].site not in sites for a in wanted):
        return "an access lies in a function that no call reaches"
    known = {*steps.start_functions, *steps.follows}
    if any(thread.start not in known for thread in cp.threads.values()):
        return "a thread starts in a function that no call creates it with"
    return None


def _missing_frame(steps: Steps) -> str | None:
    """Name a library call that runs functions in which a thread may stand."""
    visible = {
        name
        for name, function in steps.functions.items()
        if any(step.is_visible for block in function.blocks for step in steps.of_block(name, block.label))
    }
    for name, function in steps.functions.items():
        for block in function.blocks:
            for step in steps.of_block(name, block.label):
                for callback in step.call.callbacks if step.call is not None else ():
                    inside: list[str] = reverse_postorder(callback, steps.may_run_inside.__getitem__)
                    if visible & set(inside):
                        return f"{callback} is run by a library call (site {step.site})"
    return None


class _TooLarge(Exception):
    pass


class _Tables:
    """Numbers points and tokens."""

    def __init__(self, steps: Steps, flow: FutureFlow) -> None:
        self._steps = steps
        self._flow = flow
        self._locks: LockTable = steps.locks
        named = [
            (n.symbol, n.offset, i) for i, n in enumerate(self._locks.names) if i != ATOMIC and isinstance(n, Static)
        ]
        self._tokens: list[tuple[str, int] | None] = [None]
        self._token_of: dict[int, int] = {ATOMIC: 0}
        self._tokens_in: dict[str, list[int]] = {}
        for symbol, offset, number in sorted(named):
            self._tokens_in.setdefault(symbol, []).append(len(self._tokens))
            self._token_of[number] = len(self._tokens)
            self._tokens.append((symbol, offset))
        self._points: list[FuturePoint] = []
        self._numbers: dict[object, int] = {}
        self._changes: dict[Effect, LockChange] = {}
        self._entries = 0

    def made(self) -> Futures:
        before: dict[SiteId, int] = {}
        after: dict[SiteId, int] = {}
        try:
            entries = tuple(self._point(self._flow.entry[name]) for name in self._steps.start_functions)
            for name in self._steps.functions:
                for step, ahead, back in self._flow.points(name):
                    if step.is_visible:
                        before[step.site] = self._point(ahead)
                    if step.is_open or (step.call is not None and (step.call.functions or step.call.callbacks)):
                        after[step.site] = self._point(back)
        except _TooLarge:
            return Futures(f"the tables have more than {MAX_ENTRIES} entries")
        index = {name: i for i, name in enumerate(self._steps.start_functions)}
        starts = {site: tuple(index[name] for name in names) for site, names in self._steps.starts.items()}
        return Futures(
            reason=None,
            tokens=tuple(self._tokens),
            functions=self._steps.start_functions,
            points=tuple(self._points),
            before=MappingProxyType(dict(sorted(before.items()))),
            after=MappingProxyType(dict(sorted(after.items()))),
            entries=entries,
            starts=MappingProxyType(dict(sorted(starts.items()))),
            objects=MappingProxyType({s: self._token_of[n] for s, n in sorted(self._steps.objects.items())}),
        )

    def _point(self, future: Future) -> int:
        future = self._flow.without_parameters(future)
        key = (frozenset(future.accesses.items()), future.leave, future.operations, future.creates)
        number = self._numbers.get(key)
        if number is None:
            self._entries += sum(found.bit_count() for found in future.accesses.values())
            self._entries += future.operations.bit_count() + future.creates.bit_count()
            if self._entries > MAX_ENTRIES:
                raise _TooLarge
            number = self._numbers[key] = len(self._points)
            self._points.append(self._described(future))
        return number

    def _described(self, future: Future) -> FuturePoint:
        accesses: list[FutureAccess] = []
        for effect, found in future.accesses.items():
            change = self._change(effect)
            accesses += [FutureAccess(self._steps.access_order[access], change) for access in bits(found)]
        accesses.sort(
            key=lambda a: (
                a.access,
                a.change.acquired,
                a.change.released is None,
                a.change.released or (),
                a.change.unnamed,
            )
        )
        return FuturePoint(
            accesses=tuple(accesses),
            leave=None if future.leave is None else self._change(future.leave),
            operations=tuple(sorted({self._steps.operations[o] for o in bits(future.operations)})),
            creates=tuple(bits(future.creates)),
        )

    def _change(self, effect: Effect) -> LockChange:
        known = self._changes.get(effect)
        if known is not None:
            return known
        held, released = effect
        acquired = sorted(
            (self._token_of[number], not held >> 2 * number + 1 & 1) for number in {b >> 1 for b in bits(held)}
        )
        given: set[int] | None = None if released == ALL else set()
        if given is not None:
            for number in bits(released):
                name = self._locks.names[number]
                given.update(
                    self._tokens_in.get(name.symbol, ()) if isinstance(name, Whole) else [self._token_of[number]]
                )
        is_unnamed = bool(released >> UNNAMED & 1)
        change = LockChange(tuple(acquired), None if given is None else tuple(sorted(given)), is_unnamed)
        self._changes[effect] = change
        return change


def format_control(futures: Futures) -> list[str]:
    """The tables as directives of the control file, see raceproof_rt.h."""
    if futures.reason is not None:
        return [f"future unusable {futures.reason}"]
    return list(_directives(futures))


def _directives(futures: Futures) -> Iterator[str]:
    for token in range(len(futures.tokens)):
        yield f"future token {token}"
    for when, sites in (("before", futures.before), ("after", futures.after)):
        for site, number in sites.items():
            yield f"future point {number} {site} {when}"
    for function, number in enumerate(futures.entries):
        yield f"future entry {number} {function}"
    for site, functions in futures.starts.items():
        yield f"future start {site} {' '.join(map(str, functions))}"
    for site, token in futures.objects.items():
        yield f"future object {site} {token}"
    for number, point in enumerate(futures.points):
        for access in point.accesses:
            yield f"future access {number} {access.access} {_format_change(access.change)}"
        for site in point.operations:
            yield f"future sync {number} {site}"
        if point.creates:
            yield f"future creates {number} {' '.join(map(str, point.creates))}"
        if point.leave is None:
            yield f"future noexit {number}"
        else:
            yield f"future exit {number} {_format_change(point.leave)}"


def _format_change(change: LockChange) -> str:
    acquired = ",".join(f"{token}{'s' if shared else ''}" for token, shared in change.acquired)
    given = [*map(str, change.released or ()), *("d" if change.unnamed else "")]
    released = "*" if change.released is None else ",".join(given)
    return f"{acquired or '-'} {released or '-'}"
