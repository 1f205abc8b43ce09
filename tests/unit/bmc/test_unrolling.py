"""How loops are laid out: every copy of a block behind its predecessors, whatever the graph."""

from __future__ import annotations

from pathlib import Path

import pytest
from unit.bmc.c_programs import analysed

from raceproof.bmc.unrolling import Copy, Layout
from raceproof.ir import successors

LOOPS = {
    "nested": "for (int i = 0; i < ANY; i++) for (int j = 0; j < ANY; j++) if (ANY) break;",
    "two ways in": "if (ANY) goto middle; top: x++; middle: x--; if (ANY) goto top;",
    "crossed": "a: if (ANY) goto c; b: if (ANY) goto a; c: if (ANY) goto b; if (ANY) goto a;",
    "straight": "x++; if (ANY) x--;",
}


@pytest.mark.parametrize("name", LOOPS)
def test_copies_stand_behind_their_predecessors(tmp_path: Path, name: str) -> None:
    text = f"int x; void *f(void *p) {{ {LOOPS[name]} return 0; }} int main(void) {{ BOTH(f, f) return 0; }}"
    layout = Layout(analysed(text, tmp_path).cp.program.functions["f"], 64)
    first = Copy(layout.entry, (0,) * len(layout.heads[layout.entry]))
    seen, work = {first}, [first]
    while work:
        copy = work.pop()
        for label in successors(layout.blocks[copy.label].terminator):
            to, _, _ = layout.step(copy, label)
            assert layout.key(copy) < layout.key(to)
            if to not in seen and max(to.counters, default=0) < 3:
                seen.add(to)
                work.append(to)
    assert (len(seen) > len(layout.blocks)) is (name != "straight")


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        ("while (!x) ;", True),
        ("for (;;) { lock(&m); int seen = x; unlock(&m); if (seen) break; }", True),
        ("while (!x) pthread_cond_wait(&c, &m);", True),
        ("while (!x) y++;", False),
        ("while (!x) pthread_rwlock_rdlock(&r);", False),
        ("while (!x) sem_post(&s);", False),
    ],
)
def test_loops_that_only_wait(tmp_path: Path, loop: str, expected: bool) -> None:
    text = f"""int x, y; pthread_mutex_t m = MUTEX; pthread_cond_t c; pthread_rwlock_t r; sem_t s;
    void *f(void *p) {{ {loop} return 0; }} int main(void) {{ BOTH(f, f) return 0; }}"""
    layout = Layout(analysed(text, tmp_path).cp.program.functions["f"], 64)
    heads = {heads[-1] for heads in layout.heads.values() if heads}
    assert [layout.only_waits(head) for head in heads] == [expected]
