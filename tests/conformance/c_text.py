"""A script as a C program. The accesses stand on lines of their own, `// access N` behind them."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from conformance.scripts import Access, Call, Item, Object, Script
from raceproof.spec import BarrierState, Kind, MutexState, ObjectType, SemState

HEADERS = """#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
"""
_LISTS = """struct node { struct node *next; int value; };
static void push(struct node **list) {
    struct node *n = malloc(sizeof *n);
    if (!n) abort();
    n->value = 0, n->next = *list, *list = n;
}"""
_TYPES = {
    ObjectType.MUTEX: "pthread_mutex_t",
    ObjectType.RWLOCK: "pthread_rwlock_t",
    ObjectType.SPIN: "pthread_spinlock_t",
    ObjectType.COND: "pthread_cond_t",
    ObjectType.BARRIER: "pthread_barrier_t",
    ObjectType.SEM: "sem_t",
    ObjectType.ONCE: "pthread_once_t",
}
_C11_TYPES = {ObjectType.MUTEX: "mtx_t", ObjectType.COND: "cnd_t", ObjectType.ONCE: "once_flag"}
_KINDS = {
    Kind.NORMAL: "PTHREAD_MUTEX_NORMAL",
    Kind.DEFAULT: "PTHREAD_MUTEX_DEFAULT",
    Kind.RECURSIVE: "PTHREAD_MUTEX_RECURSIVE",
    Kind.ERRORCHECK: "PTHREAD_MUTEX_ERRORCHECK",
}


def as_c(script: Script, lists: Collection[str] = ()) -> str:
    """The program; an access to one of the variables that are `lists` takes a node out of a list and writes it."""
    lines = [HEADERS, "static const struct timespec soon = {1, 0};"]
    lines += [f"int {variable};" for variable in script.variables if variable not in lists]
    if lists:
        lines += [_LISTS, *(f"struct node *{variable};" for variable in lists)]
    made_here = {name: made for name, made in script.objects.items() if not made.is_given}
    lines += [f"{type_of(made)} {name}{_initialiser(made)};" for name, made in made_here.items()]
    routines: list[str] = []
    bodies: list[str] = []
    for number, items in enumerate(script.threads, 1):
        body = [f"static void *thread{number}(void *unused) {{", "    int result = 0;"]
        body += _items(script, items, 1, routines, f"routine{number}", lists)
        body += ["    (void)unused, (void)result;", "    return 0;", "}"]
        bodies += body
    lines += routines + bodies
    lines += ["int main(void) {"]
    for name, made in made_here.items():
        if not _initialiser(made):
            lines += [f"    {line}" for line in initialise(name, made)]
    lines += [f"    push(&{variable});" for variable in lists for _ in range(3)]
    count = len(script.threads)
    lines.append(f"    pthread_t ids[{count}];")
    lines += [f"    pthread_create(&ids[{n}], 0, thread{n + 1}, 0);" for n in range(count)]
    lines += [f"    pthread_join(ids[{n}], 0);" for n in range(count)]
    lines += ["    return 0;", "}", ""]
    return "\n".join(lines)


def access_lines(text: str) -> dict[int, int]:
    """The number of the access on each line that has one."""
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        if "// access " in line:
            found[number] = int(line.rsplit(" ", 1)[1])
    return found


def type_of(made: Object) -> str:
    return _C11_TYPES[made.type] if made.is_c11 else _TYPES[made.type]


_INITIALISERS = {
    Kind.DEFAULT: "PTHREAD_MUTEX_INITIALIZER",
    Kind.RECURSIVE: "PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP",
    Kind.ERRORCHECK: "PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP",
}


def _initialiser(made: Object) -> str:
    """Of what needs no call; an engine may know less about an object that a call makes."""
    match made.type, made.state:
        case _ if made.is_c11:
            return ""
        case ObjectType.MUTEX, MutexState(kind=kind, robust=False) if kind in _INITIALISERS:
            return f" = {_INITIALISERS[kind]}"
        case ObjectType.RWLOCK, _:
            return " = PTHREAD_RWLOCK_INITIALIZER"
        case ObjectType.COND, _:
            return " = PTHREAD_COND_INITIALIZER"
    return ""


def initialise(name: str, made: Object) -> Iterator[str]:
    state = made.state
    match made.type, state:
        case ObjectType.MUTEX, MutexState(kind=kind) if made.is_c11:
            yield f"mtx_init(&{name}, mtx_timed{' | mtx_recursive' if kind is Kind.RECURSIVE else ''});"
        case ObjectType.MUTEX, MutexState(kind=Kind.DEFAULT, robust=False):
            yield f"pthread_mutex_init(&{name}, 0);"
        case ObjectType.MUTEX, MutexState(kind=kind, robust=robust):
            yield f"pthread_mutexattr_t {name}_attributes;"
            yield f"pthread_mutexattr_init(&{name}_attributes);"
            yield f"pthread_mutexattr_settype(&{name}_attributes, {_KINDS[kind]});"
            if robust:
                yield f"pthread_mutexattr_setrobust(&{name}_attributes, PTHREAD_MUTEX_ROBUST);"
            yield f"pthread_mutex_init(&{name}, &{name}_attributes);"
        case ObjectType.RWLOCK, _:
            yield f"pthread_rwlock_init(&{name}, 0);"
        case ObjectType.SPIN, _:
            yield f"pthread_spin_init(&{name}, 0);"
        case ObjectType.COND, _:
            yield f"cnd_init(&{name});" if made.is_c11 else f"pthread_cond_init(&{name}, 0);"
        case ObjectType.BARRIER, BarrierState(count=count):
            yield f"pthread_barrier_init(&{name}, 0, {count});"
        case ObjectType.SEM, SemState(value=value):
            yield f"sem_init(&{name}, 0, {value}u);"
        case ObjectType.ONCE, _:
            pass  # zero is the initialiser, as everywhere


def _items(
    script: Script, items: tuple[Item, ...], depth: int, routines: list[str], stem: str, lists: Collection[str]
) -> Iterator[str]:
    indent = "    " * depth
    for item in items:
        match item:
            case Access(variable=variable, line=line) if variable in lists:
                take = f"struct node *n = {variable}; if (n) {{ {variable} = n->next; n->value = {line}; }}"
                yield f"{indent}{{ {take} }} // access {line}"
            case Access(variable=variable, writes=writes, line=line):
                text = f"{variable} = {line};" if writes else f"int seen{line} = {variable}; (void)seen{line};"
                yield f"{indent}{text} // access {line}"
            case Call():
                yield f"{indent}{_call(script, item, routines, stem, lists)}"
            case _:
                test = " || ".join(f"result == {result}" for result in item.results) or "0"
                yield f"{indent}if ({test}) {{"
                yield from _items(script, item.items, depth + 1, routines, stem, lists)
                if item.otherwise:
                    yield f"{indent}}} else {{"
                    yield from _items(script, item.otherwise, depth + 1, routines, stem, lists)
                yield f"{indent}}}"


def _call(script: Script, call: Call, routines: list[str], stem: str, lists: Collection[str]) -> str:
    function = call.function
    arguments = [name if script.objects[name].is_given else f"&{name}" for name in call.objects]
    if function.object is ObjectType.SECTION:
        arguments = []
    if function.name in ("pthread_once", "call_once"):
        name = f"{stem}_{len(routines)}"
        body = list(_items(script, call.routine, 1, routines, stem, lists))
        routines += [f"static void {name}(void) {{", "    int result = 0;", *body, "    (void)result;", "}"]
        arguments.append(name)
    if function.clock_arg is not None:
        arguments.append("CLOCK_REALTIME")
    if function.time_arg is not None:
        arguments.append("&soon")
    if function.name == "sem_getvalue":
        return f"{{ int value; sem_getvalue({arguments[0]}, &value); }}"
    assigned = "" if function.family.name == "VOID" else "result = "
    return f"{assigned}{function.name}({', '.join(arguments)});"
