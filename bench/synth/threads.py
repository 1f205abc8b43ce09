"""The threads of a generated program: which start functions, how many instances, created and joined where."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum, unique
from itertools import pairwise
from random import Random

from bench.synth.writing import Module


@unique
class Argument(Enum):
    """What a thread is started with."""

    SLOT = "slot"  # its element of the global array
    HEAP = "heap"  # a copy on the heap that it frees
    NUMBER = "number"  # its number in place of a pointer


@dataclass(slots=True)
class Starter:
    """A start function: its threads have the ids `first` to `first + instances - 1`."""

    name: str
    phase: int
    instances: int
    argument: Argument
    first: int = 0
    child: Starter | None = None
    is_child: bool = False
    calls: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ThreadPlan:
    """All start functions. Ids are dense: phase one, phase two, then children of threads."""

    starters: list[Starter]
    spawns_by_wrapper: bool
    starts_by_table: bool

    @property
    def instances(self) -> int:
        return sum(starter.instances for starter in self.starters)

    @property
    def crowd(self) -> list[Starter]:
        """The start functions of phase one with several instances."""
        return [starter for starter in self.starters if starter.phase == 1 and starter.instances > 1]


_NAMES = (
    "reader", "writer", "sweeper", "monitor", "collector", "dispatcher", "indexer", "planner", "sampler", "relay",
    "archiver", "balancer",
)  # fmt: skip


def plan_threads(rng: Random, count: int) -> ThreadPlan:
    """Choose phases and instances: a third run in several instances, a quarter in a second phase."""
    second = count // 4
    starters = []
    for index in range(count):
        name = _NAMES[index] if index < len(_NAMES) else f"{_NAMES[index % len(_NAMES)]}{index // len(_NAMES) + 1}"
        phase = 2 if index >= count - second else 1
        many = index == 0 or (index > 1 and rng.random() < 0.25)
        argument = rng.choices(tuple(Argument), (3, 1, 1))[0]
        starters.append(Starter(name, phase, rng.randint(2, 3) if many else 1, argument))
    if not any(starter.instances == 1 and starter.phase == 2 for starter in starters) and second:
        starters[-1].instances = 1
    if count >= 6:
        parent, child = starters[1], starters[2]
        child.instances, child.argument, child.is_child = 1, Argument.SLOT, True
        parent.child = child
    free = 0
    for starter in sorted(starters, key=lambda starter: (starter.is_child, starter.phase)):
        starter.first = free
        free += starter.instances
    return ThreadPlan(starters, rng.random() < 0.5, rng.random() < 0.5)


def write_threads(rng: Random, plan: ThreadPlan, modules: Sequence[Module], add: Callable[[str], None]) -> None:
    """Write start functions (children first), the functions that start and join them, and main."""
    for starter in sorted(plan.starters, key=lambda starter: not starter.is_child):
        add(_start_function(rng, starter))
    if plan.spawns_by_wrapper:
        add(
            "static void spawn(pthread_t *thread, void *(*start)(void *), void *argument)\n{\n"
            "    if (pthread_create(thread, NULL, start, argument) != 0)\n        abort();\n}\n"
        )
    if any(starter.argument is Argument.HEAP for starter in plan.starters):
        add(
            "static struct worker *copy_worker(const struct worker *w)\n{\n"
            "    struct worker *copy = malloc(sizeof *copy);\n"
            "    if (copy == NULL)\n        abort();\n    *copy = *w;\n    return copy;\n}\n"
        )
    phases = sorted({starter.phase for starter in plan.starters})
    for phase in phases:
        add(_start_phase(plan, phase))
        add(_join_phase(plan, phase))
    setups = _groups("start_up", "void", [module.init for module in modules if module.init is not None], add)
    reports = [f"sum += {module.report};" for module in modules if module.report is not None]
    summaries = _groups("summary", "long", reports, add)
    add(_main(setups, phases, summaries))


def _start_function(rng: Random, starter: Starter) -> str:
    lines = []
    match starter.argument:
        case Argument.SLOT | Argument.HEAP:
            lines.append("    struct worker *self = argument;")
        case Argument.NUMBER:
            lines += ["    struct worker here;", "    struct worker *self = &here;"]
    lines += ["    unsigned long n;", "    int round;"]
    if starter.child is not None:
        lines.append("    pthread_t child;")
    if starter.argument is Argument.NUMBER:
        lines += ["    memset(&here, 0, sizeof here);", "    here.id = (int)(long)argument;"]
        lines.append("    here.seed = (unsigned long)here.id * 7u + 3u;")
    if starter.child is not None:
        child = starter.child
        lines.append(f"    if (pthread_create(&child, NULL, {child.name}, &workers[{child.first}]) != 0)")
        lines.append("        abort();")
    lines += [
        "    n = self->seed;",
        f"    for (round = 0; round < {rng.randint(4, 5)}; round++) {{",
        *(f"        self->result += {call};" for call in starter.calls),
        f"        n = n * {2 * rng.randint(10, 90) + 1}u + (unsigned long)round;",
        "    }",
        "    self->done = 1;",
    ]
    if starter.child is not None:
        lines.append("    pthread_join(child, NULL);")
    if starter.argument is Argument.HEAP:
        lines.append("    free(self);")
    lines.append(rng.choice(("    return NULL;", "    return NULL;", "    pthread_exit(NULL);")))
    body = "\n".join(lines)
    return f"static void *{starter.name}(void *argument)\n{{\n{body}\n}}\n"


def _argument(starter: Starter, index: str) -> str:
    match starter.argument:
        case Argument.SLOT:
            return f"&workers[{index}]"
        case Argument.HEAP:
            return f"copy_worker(&workers[{index}])"
        case Argument.NUMBER:
            return f"(void *)(long){index}"


def _start_phase(plan: ThreadPlan, phase: int) -> str:
    mine = [starter for starter in plan.starters if starter.phase == phase and not starter.is_child]
    mine.sort(key=lambda starter: starter.first)
    table = [starter for starter in mine if starter.instances == 1 and starter.argument is Argument.SLOT]
    head, lines = "", []
    contiguous = [b.first == a.first + 1 for a, b in pairwise(table)]
    by_table = plan.starts_by_table and len(table) > 1 and all(contiguous) and phase == 2
    if by_table:
        names = ", ".join(starter.name for starter in table)
        head = f"static void *(*const late_starts[{len(table)}])(void *) = {{{names}}};\n\n"
        mine = [starter for starter in mine if starter not in table]
        start = f"late_starts[i - {table[0].first}]"
        lines.append(f"    for (i = {table[0].first}; i < {table[-1].first + 1}; i++)")
        lines += _create(plan, start, "i", "&workers[i]", "        ")
    for starter in mine:
        if starter.instances > 1:
            lines.append(f"    for (i = {starter.first}; i < {starter.first + starter.instances}; i++)")
            lines += _create(plan, starter.name, "i", _argument(starter, "i"), "        ")
        else:
            index = str(starter.first)
            lines += _create(plan, starter.name, index, _argument(starter, index), "    ")
    if any(line.startswith("    for") for line in lines):
        lines.insert(0, "    int i;")
    body = "\n".join(lines)
    return f"{head}static void start_phase{phase}(void)\n{{\n{body}\n}}\n"


def _create(plan: ThreadPlan, start: str, index: str, argument: str, indent: str) -> list[str]:
    if plan.spawns_by_wrapper:
        return [f"{indent}spawn(&workers[{index}].thread, {start}, {argument});"]
    return [
        f"{indent}if (pthread_create(&workers[{index}].thread, NULL, {start}, {argument}) != 0)",
        f"{indent}    abort();",
    ]


def _join_phase(plan: ThreadPlan, phase: int) -> str:
    mine = [starter for starter in plan.starters if starter.phase == phase and not starter.is_child]
    first = min(starter.first for starter in mine)
    last = max(starter.first + starter.instances for starter in mine)
    return (
        f"static void join_phase{phase}(void)\n{{\n    int i;\n    for (i = {first}; i < {last}; i++)\n"
        "        pthread_join(workers[i].thread, NULL);\n}\n"
    )


def _groups(name: str, result: str, statements: Sequence[str], add: Callable[[str], None]) -> list[str]:
    """Write functions of at most eight statements each; return the calls of them."""
    calls = []
    for index in range(0, len(statements), 8):
        function = f"{name}{index // 8 + 1}"
        lines = [f"    {statement}" for statement in statements[index : index + 8]]
        if result == "long":
            lines = ["    long sum = 0;", *lines, "    return sum;"]
        body = "\n".join(lines)
        add(f"static {result} {function}(void)\n{{\n{body}\n}}\n")
        calls.append(f"{function}()")
    return calls


def _main(setups: Sequence[str], phases: Sequence[int], summaries: Sequence[str]) -> str:
    lines = [
        "    long sum = 0;",
        "    int i;",
        "    for (i = 0; i < WORKERS; i++) {",
        "        workers[i].id = i;",
        "        workers[i].seed = (unsigned long)i * 13u + 5u;",
        "    }",
        *(f"    {call};" for call in setups),
    ]
    for phase in phases:
        lines += [f"    start_phase{phase}();", f"    join_phase{phase}();"]
    lines += [
        *(f"    sum += {call};" for call in summaries),
        "    for (i = 0; i < WORKERS; i++)",
        "        sum += workers[i].result + workers[i].done;",
        '    printf("%ld\\n", sum % 100000);',
        "    return 0;",
    ]
    body = "\n".join(lines)
    return f"int main(void)\n{{\n{body}\n}}\n"
