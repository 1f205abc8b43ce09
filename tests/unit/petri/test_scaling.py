"""How nets grow with the program: exact numbers, so that both a lost and a doubled copy show."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from unit.petri.c_programs import Analysed, analysed

from raceproof.core import Budget
from raceproof.petri import Detail, ProgramNet, program_frames, program_net, program_walk
from raceproof.petri.net import Safe
from raceproof.petri.program_code import Code
from raceproof.petri.program_locks import Kinds
from raceproof.petri.program_surroundings import Surroundings
from raceproof.petri.program_walk import Walk
from raceproof.petri.solver import solve

LOCKS = "lock(&m); x++; unlock(&m);"
POSTS = LOCKS + "sem_post(&s);"
COPIES = program_frames.MAX_COPIES


def chain(depth: int, leaf: str, directory: Path) -> Analysed:
    """Functions that each call the next one twice: inlined, the last one is there 2 to the power of `depth` times."""
    text = f"pthread_mutex_t m = MUTEX; sem_t s; int x; void f0(void) {{ {leaf} }}"
    for level in range(1, depth + 1):
        text += f"void f{level}(void) {{ f{level - 1}(); f{level - 1}(); }}"
    return analysed(
        text + f"void *f(void *p) {{ f{depth}(); return 0; }} int main(void) {{ MANY(f) return 0; }}", directory
    )


def drawn(program: Analysed) -> int:
    """Points of control before any reduction."""
    accesses = {a.site: (a.id,) for a in program.cp.accesses.values()}
    code = Code(Surroundings(program.cp), accesses)
    return len(Walk(code, Kinds(frozenset(), lambda lock: True), Budget.unlimited()).run().owners)


def is_safe(made: ProgramNet) -> bool:
    return isinstance(solve(made.net, Budget.seconds(20)), Safe)


def test_a_chain_of_calls_grows_by_the_same_at_each_level(tmp_path: Path) -> None:
    """Each level has so many copies that are inlined and one that is shared, of five points each."""
    sizes = [drawn(chain(depth, LOCKS, tmp_path)) for depth in (4, 5, 6, 12, 20)]
    step = 5 * (COPIES + 1)
    assert [size - sizes[0] for size in sizes] == [0, step, 2 * step, 8 * step, 16 * step]


def test_the_net_of_a_chain_is_the_same_at_each_depth(tmp_path: Path) -> None:
    nets = []
    for depth in (4, 12, 20):
        program = chain(depth, LOCKS, tmp_path)
        made = program_net(program.cp, program.pairs, Budget.unlimited())
        assert is_safe(made)
        nets.append((len(made.net.places), len(made.net.transitions)))
    assert len(set(nets)) == 1


def test_a_chain_that_tells_others_stays_within_the_limit(tmp_path: Path) -> None:
    """What is more than locks cannot be summarised: copies are shared when there are too many."""
    sizes = [drawn(chain(depth, POSTS, tmp_path)) for depth in (3, 4, 5)]
    assert [b - 2 * a for a, b in pairwise(sizes)] == [sizes[1] - 2 * sizes[0]] * 2
    program = chain(16, POSTS, tmp_path)
    assert drawn(program) < 2 * program_walk.MAX_INLINED_NODES
    made = program_net(program.cp, program.pairs, Budget.unlimited())
    assert is_safe(made)
    assert any("over-approximated" in note for note in made.notes)


def service(functions: int) -> str:
    """Functions that each call three others further down, at the bottom one of four that take the lock."""
    lines = ["pthread_mutex_t m = MUTEX; int x;"]
    lines += [f"void leaf{n}(void) {{ lock(&m); if (ANY) x += {n}; else x -= {n}; unlock(&m); }}" for n in range(4)]
    for number in range(functions):
        called = [number - back for back in (1, 2, 7) if number >= back]
        calls = " ".join(f"if (ANY) s{c}(); else leaf{c % 4}();" for c in called)
        lines.append(f"void s{number}(void) {{ {calls} while (ANY) leaf{number % 4}(); }}")
    lines.append(f"void *f(void *p) {{ s{functions - 1}(); return 0; }} int main(void) {{ MANY(f) return 0; }}")
    return "\n".join(lines)


@pytest.mark.parametrize("detail", Detail)
def test_a_program_with_deep_calls_grows_by_a_place_for_each_function(detail: Detail, tmp_path: Path) -> None:
    places = []
    for functions in (40, 80):
        program = analysed(service(functions), tmp_path)
        made = program_net(program.cp, program.pairs, Budget.unlimited(), detail)
        assert is_safe(made)
        assert [note.endswith(f"and {functions} others are over-approximated") for note in made.notes] == [True]
        places.append(len(made.net.places))
    assert places[1] - places[0] == 40
