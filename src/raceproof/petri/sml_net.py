"""The Petri net of a program in the Simple Multithreaded Language, as in [PN, 3.2], and where its parts come from.

A thread is one token in the places of its job type: one place before each instruction, one at the end. `if` and
`while` become `branch` and `goto` first. A race is two tokens in `Read_x` and `Write_x`, one of them in `Write_x`.

Follows [PN, 3.2 and 4.1].
Paper -> here: job type -> `Job`; cond, signal, ready -> `*_cond`, `signal_c`, `*_ready`; win, tr, wout -> `*_in`,
`*_signalled`, `*_out`; the *conflict* transition -> `lost_c`.
There are two nets of an access. As printed (`as_printed`), the thread's token itself stands in `Read_x`; where several
statements read `x`, it may leave behind any of them: more runs than the program has. Otherwise the token stands in a
place of the statement and puts another one into `Read_x`.
Differs:
- cond and ready are places of each `wait`, not of the condition variable: a thread goes on where it waited.
- Spurious wakeups, which the paper announces and its net does not have, are transitions of their own; without them
  (`spurious=False`) the net is the paper's.
- `broadcast` gives any number of signals: a net cannot ask how many threads wait. It may give fewer, never too few
  for a run of the program.
- `join T` takes the token of a `T` that has ended. Whose `T` it was is forgotten: threads may go on earlier than in the
  program, never later.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import assert_never

from raceproof.core import SourcePos
from raceproof.petri.net import Marking, Net, Transition
from raceproof.petri.sml_syntax import Action, Block, If, Job, Label, Op, Program, While


@dataclass(frozen=True, slots=True)
class Step:
    """What a transition is in the source.

    `leaves`, `enters`: places of the thread that moves, None for a signal that is lost; `creates`: where a new thread
    begins; `joins`: where one disappears. `access`: what the thread begins or ends. `is_silent`: not worth a line in a
    trace.
    """

    text: str
    pos: SourcePos
    leaves: int | None
    enters: int | None
    creates: int | None = None
    joins: int | None = None
    access: Action | None = None
    is_silent: bool = False


@dataclass(frozen=True, slots=True)
class SmlNet:
    """`steps`: one for each transition. `jobs`: by place, the job type whose threads stand there."""

    net: Net
    steps: tuple[Step, ...]
    jobs: dict[int, str]


def net_of_sml(program: Program, spurious: bool = True, *, as_printed: bool = False) -> SmlNet:
    """The net of a program. `spurious`: a wait may end without a signal, as POSIX allows. `as_printed`: a thread at an
    access stands in the place of the variable."""
    build = _Construction(spurious, as_printed)
    for name in program.shared:
        read, write = build.place(f"Read_{name.text}"), build.place(f"Write_{name.text}")
        build.reads[name.text], build.writes[name.text] = read, write
    for name in program.locks:
        build.locks[name.text] = build.place(name.text)
    for name in program.conditions:
        signal = build.place(f"signal_{name.text}")
        build.signals[name.text] = signal
        lost = Step(f"a signal of {name.text} is lost", name.pos, None, None, is_silent=True)
        build.transition(f"lost_{name.text}", [signal], [], lost)
    codes = [_flatten(job) for job in program.jobs]
    for job, code in zip(program.jobs, codes, strict=True):
        build.control[job.name.text] = [build.control_place(job.name.text, instruction) for instruction in code] + [
            build.control_place(job.name.text, None)
        ]
    for job, code in zip(program.jobs, codes, strict=True):
        for index, instruction in enumerate(code):
            build.instruction(job.name.text, index, instruction)
    return build.finish(program)


@dataclass(frozen=True, slots=True)
class _Instruction:
    """`target`: the index in the job to which `goto` and `branch` jump."""

    action: Action
    text: str
    target: int = -1


def _flatten(job: Job) -> list[_Instruction]:
    """The instructions of a job; `if` and `while` have become jumps."""
    code: list[_Instruction] = []
    labels: dict[str, int] = {}

    def jump(op: Op, pos: SourcePos, text: str, target: int = -1) -> int:
        code.append(_Instruction(Action(op, (), pos), text, target))
        return len(code) - 1

    def aim(index: int) -> None:
        code[index] = _Instruction(code[index].action, code[index].text, len(code))

    def walk(block: Block) -> None:
        for statement in block:
            match statement:
                case Action():
                    code.append(_Instruction(statement, str(statement)))
                case Label(name):
                    labels[name.text] = len(code)
                case If(then, otherwise, pos):
                    to_else = jump(Op.BRANCH, pos, "if (*)")
                    walk(then)
                    if otherwise:
                        to_end = jump(Op.GOTO, pos, "end of if")
                        aim(to_else)
                        walk(otherwise)
                        aim(to_end)
                    else:
                        aim(to_else)
                case While(body, pos):
                    out = jump(Op.BRANCH, pos, "while (*)")
                    walk(body)
                    jump(Op.GOTO, pos, "end of while", out)
                    aim(out)
                case _:
                    assert_never(statement)

    walk(job.body)
    return [
        _Instruction(i.action, i.text, labels[i.action.operands[0].text])
        if i.action.op in (Op.GOTO, Op.BRANCH) and i.action.operands
        else i
        for i in code
    ]


@dataclass(slots=True)
class _Construction:
    """The net while it grows. `control`: places by job type and index of the instruction, the last is the end."""

    spurious: bool
    as_printed: bool
    places: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    transitions: list[Transition] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    reads: dict[str, int] = field(default_factory=dict)
    writes: dict[str, int] = field(default_factory=dict)
    locks: dict[str, int] = field(default_factory=dict)
    signals: dict[str, int] = field(default_factory=dict)
    control: dict[str, list[int]] = field(default_factory=dict)
    jobs: dict[int, str] = field(default_factory=dict)

    def place(self, name: str) -> int:
        self.places.append(self._unused(name))
        return len(self.places) - 1

    def control_place(self, job: str, instruction: _Instruction | None, suffix: str = "") -> int:
        """A place of this job type's threads, named after the line; None: the end."""
        line = "end" if instruction is None else str(instruction.action.pos.line)
        place = self.place(f"{job}_{line}{suffix}")
        self.jobs[place] = job
        return place

    def _unused(self, name: str) -> str:
        """`name`, or with a number if there is one already: two statements in a line, or names that look the same."""
        unique, number = name, 1
        while unique in self.used:
            number += 1
            unique = f"{name}_{number}"
        self.used.add(unique)
        return unique

    def transition(self, name: str, pre: Sequence[int], post: Sequence[int], step: Step) -> None:
        self.transitions.append(Transition(self._unused(name), _marking(pre), _marking(post)))
        self.steps.append(step)

    def instruction(self, job: str, index: int, instruction: _Instruction) -> None:
        """The transitions of one instruction."""
        here, after = self.control[job][index], self.control[job][index + 1]
        action, names = instruction.action, [name.text for name in instruction.action.operands]
        move = _Moves(self, instruction, self.places[here])
        match action.op:
            case Op.READ | Op.WRITE:
                shared = (self.reads if action.op is Op.READ else self.writes)[names[0]]
                if self.as_printed:
                    move("begin", here, shared, access=action)
                    move("end", shared, after, access=action, is_silent=True)
                else:
                    inside = self.control_place(job, instruction, f"_{action.op.value}")
                    move("begin", here, inside, gives=[shared], access=action)
                    move("end", inside, after, takes=[shared], access=action, is_silent=True)
            case Op.ACQUIRE:
                move("acquire", here, after, takes=[self.locks[names[0]]])
            case Op.RELEASE:
                move("release", here, after, gives=[self.locks[names[0]]])
            case Op.WAIT:
                self._wait(job, here, after, instruction, move)
            case Op.SIGNAL:
                move("signal", here, after, gives=[self.signals[names[0]]])
            case Op.BROADCAST:
                move("wake", here, here, "wakes one", gives=[self.signals[names[0]]])
                move("broadcast", here, after, "has woken as many as it does")
            case Op.CREATE:
                move("create", here, after, creates=self.control[names[0]][0])
            case Op.JOIN:
                move("join", here, after, joins=self.control[names[0]][-1])
            case Op.GOTO:
                move("goto", here, self.control[job][instruction.target], is_silent=True)
            case Op.BRANCH:
                jumps, goes_on = ("jumps", "goes on") if names else ("no", "yes")
                move("jump", here, self.control[job][instruction.target], jumps)
                move("on", here, after, goes_on)
            case Op.SKIP:
                move("skip", here, after, is_silent=True)
            case _:
                assert_never(action.op)

    def _wait(self, job: str, here: int, after: int, instruction: _Instruction, move: _Moves) -> None:
        condition, lock = (name.text for name in instruction.action.operands)
        waiting = self.control_place(job, instruction, "_cond")
        ready = self.control_place(job, instruction, "_ready")
        move("in", here, waiting, f"waits, {lock} is free", gives=[self.locks[lock]])
        move("signalled", waiting, ready, "has got a signal", takes=[self.signals[condition]])
        if self.spurious:
            move("spurious", waiting, ready, "wakes up without a signal")
        move("out", ready, after, f"has {lock} again", takes=[self.locks[lock]])

    def finish(self, program: Program) -> SmlNet:
        initial = dict.fromkeys(self.locks.values(), 1)
        unbounded = set()
        for start in program.starts:
            place = self.control[start.job.text][0]
            if start.count is None:
                unbounded.add(place)
            else:
                initial[place] = start.count
        targets: list[Marking] = []
        for name in program.shared:
            read, write = self.reads[name.text], self.writes[name.text]
            targets += [((write, 2),), ((read, 1), (write, 1))]
        net = Net(
            places=tuple(self.places),
            transitions=tuple(self.transitions),
            initial=tuple(sorted(initial.items())),
            unbounded=frozenset(unbounded),
            targets=tuple(targets),
        )
        return SmlNet(net, tuple(self.steps), self.jobs)


@dataclass(frozen=True, slots=True)
class _Moves:
    """Adds the transitions in which a thread does (part of) one instruction."""

    build: _Construction
    instruction: _Instruction
    name: str

    def __call__(
        self,
        suffix: str,
        leaves: int,
        enters: int,
        what: str = "",
        *,
        takes: Sequence[int] = (),
        gives: Sequence[int] = (),
        creates: int | None = None,
        joins: int | None = None,
        access: Action | None = None,
        is_silent: bool = False,
    ) -> None:
        text = f"{self.instruction.text}: {what}" if what else self.instruction.text
        step = Step(text, self.instruction.action.pos, leaves, enters, creates, joins, access, is_silent)
        pre = [leaves, *takes] + ([joins] if joins is not None else [])
        post = [enters, *gives] + ([creates] if creates is not None else [])
        self.build.transition(f"{self.name}_{suffix}", pre, post, step)


def _marking(places: Sequence[int]) -> Marking:
    return tuple(sorted(Counter(places).items()))
