"""Runs of programs by the meaning of the language, not by nets: slow and obviously right, for a few threads.

A state is the threads and the locks; a thread is where it is in its instructions, kept as a path of blocks that are
still to be done. `goto` and `branch` are left out: their programs are tested by hand.
"""

from __future__ import annotations

from dataclasses import dataclass

from raceproof.petri.sml_syntax import Action, Block, If, Name, Op, Program, While

Rest = Block
"""What a thread still has to do."""

INSIDE, WAITING, READY = "inside", "waiting", "ready"


@dataclass(frozen=True)
class Thread:
    """`phase`: inside an access, waiting, or woken but without the lock; empty otherwise. `creator`: its number."""

    job: str
    number: int
    creator: int
    rest: Rest
    phase: str = ""


@dataclass(frozen=True)
class State:
    """`joined`: numbers of threads that were waited for; `busy`: locks that are taken."""

    threads: tuple[Thread, ...]
    busy: frozenset[str]
    joined: frozenset[int]


def races(program: Program, many: int, spurious: bool, most_states: int, most_threads: int = 4) -> bool | None:
    """Is a state reachable where two threads are at conflicting accesses, if `many` threads stand for "any number"?

    None: too many states or threads to say.
    """
    jobs = {job.name.text: job.body for job in program.jobs}
    threads: list[Thread] = []
    for start in program.starts:
        for _ in range(many if start.count is None else start.count):
            threads.append(Thread(start.job.text, len(threads), -1, jobs[start.job.text]))
    first = State(tuple(threads), frozenset(), frozenset())
    seen, todo, is_cut = {first}, [first], False
    while todo:
        state = todo.pop()
        if _is_race(state):
            return True
        for after in _successors(state, jobs, spurious):
            if len(after.threads) > most_threads or len(seen) > most_states:
                is_cut = True
            elif after not in seen:
                seen.add(after)
                todo.append(after)
    return None if is_cut else False


def _is_race(state: State) -> bool:
    at = [thread.rest[0] for thread in state.threads if thread.phase == INSIDE]
    accesses = [action for action in at if isinstance(action, Action)]
    return any(
        a.operands[0].text == b.operands[0].text and Op.WRITE in (a.op, b.op)
        for index, a in enumerate(accesses)
        for b in accesses[index + 1 :]
    )


def _successors(state: State, jobs: dict[str, Block], spurious: bool) -> list[State]:
    return [after for thread in state.threads if thread.rest for after in _steps(state, thread, jobs, spurious)]


def _with(state: State, *changed: Thread, busy: frozenset[str] | None = None, joined: int | None = None) -> State:
    by_number = {thread.number: thread for thread in (*state.threads, *changed)}
    threads = tuple(by_number[number] for number in sorted(by_number))
    more = frozenset() if joined is None else frozenset({joined})
    return State(threads, state.busy if busy is None else busy, state.joined | more)


def _at(thread: Thread, rest: Rest, phase: str = "") -> Thread:
    return Thread(thread.job, thread.number, thread.creator, rest, phase)


def _steps(state: State, thread: Thread, jobs: dict[str, Block], spurious: bool) -> list[State]:
    statement, rest = thread.rest[0], thread.rest[1:]
    after = _at(thread, rest)
    match statement:
        case If(then, otherwise):
            return [_with(state, _at(thread, then + rest)), _with(state, _at(thread, otherwise + rest))]
        case While(body):
            return [_with(state, _at(thread, body + thread.rest)), _with(state, after)]
        case Action(Op.READ | Op.WRITE):
            return [_with(state, after if thread.phase else _at(thread, thread.rest, INSIDE))]
        case Action(Op.ACQUIRE, (lock,)):
            return [] if lock.text in state.busy else [_with(state, after, busy=state.busy | {lock.text})]
        case Action(Op.RELEASE, (lock,)):
            return [_with(state, after, busy=state.busy - {lock.text})]
        case Action(Op.WAIT, (_, lock)):
            return _wait(state, thread, lock.text, spurious)
        case Action(Op.SIGNAL, (condition,)):
            woken = [_with(state, after, other) for other in _woken(state, condition)]
            return woken or [_with(state, after)]
        case Action(Op.BROADCAST, (condition,)):
            return [_with(state, after, *_woken(state, condition))]
        case Action(Op.CREATE, (job,)):
            new = Thread(job.text, len(state.threads), thread.number, jobs[job.text])
            return [_with(state, after, new)]
        case Action(Op.JOIN, (job,)):
            ended = [
                other
                for other in state.threads
                if other.job == job.text and other.creator == thread.number and not other.rest
            ]
            return [_with(state, after, joined=o.number) for o in ended if o.number not in state.joined]
        case Action(Op.SKIP):
            return [_with(state, after)]
    raise AssertionError(statement)


def _wait(state: State, thread: Thread, lock: str, spurious: bool) -> list[State]:
    if thread.phase == READY:
        is_free = lock not in state.busy
        return [_with(state, _at(thread, thread.rest[1:]), busy=state.busy | {lock})] if is_free else []
    if thread.phase == WAITING:
        return [_with(state, _at(thread, thread.rest, READY))] if spurious else []
    return [_with(state, _at(thread, thread.rest, WAITING), busy=state.busy - {lock})]


def _woken(state: State, condition: Name) -> list[Thread]:
    """Each thread that waits for the condition, as it is when it is woken."""
    return [
        _at(thread, thread.rest, READY)
        for thread in state.threads
        if thread.phase == WAITING
        and isinstance(thread.rest[0], Action)
        and thread.rest[0].operands[0].text == condition.text
    ]
