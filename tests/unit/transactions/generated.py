"""Small programs of two threads and main, with known values, in which every part of the reduction has something to do.

    thread f: lock(&m0); c0++; unlock(&m0); atomic_fetch_add(&a0, 1); if (a1 == 2) x1 = 3; ...

Plain variables may race; locks are given back, forgotten or given back by those who do not hold them; some words are
only counted, with nobody looking at what was there before. Every value is known, and there are no loops without an end,
so that all states can be listed.
"""

from __future__ import annotations

from random import Random

LOCKS, WORDS, PLAIN = 2, 2, 2


def program(random: Random) -> str:
    """The text of a program; the same for the same random numbers."""
    names = ("f", "g")
    parts = [
        f"pthread_mutex_t {', '.join(f'm{n} = MUTEX' for n in range(LOCKS))};",
        f"atomic_int {', '.join(f'a{n}' for n in range(WORDS))};",
        f"int {', '.join(f'x{n}' for n in range(PLAIN))};",
    ]
    for name in names:
        body = "\n".join(_statements(random, depth=2, count=random.randint(2, 4)))
        parts.append(f"void *{name}(void *p) {{\n{body}\nreturn 0; }}")
    start = " ".join(f"create({name}{name}, {name});" for name in names)
    between = "\n".join(_statements(random, depth=1, count=random.randint(0, 1)))
    parts.append(f"int main(void) {{ pthread_t ff, gg; {start}\n{between}\njoin(ff); join(gg); return 0; }}")
    return "\n".join(parts) + "\n"


def _statements(random: Random, depth: int, count: int) -> list[str]:
    return [line for _ in range(count) for line in _statement(random, depth)]


def _statement(random: Random, depth: int) -> list[str]:
    lock, word, plain = f"m{random.randrange(LOCKS)}", f"a{random.randrange(WORDS)}", f"x{random.randrange(PLAIN)}"
    number = random.randint(1, 2)
    leaves = [
        [f"{plain} = {number};"],
        [f"{plain}++;"],
        [f"atomic_fetch_{random.choice(('add', 'sub', 'or', 'xor'))}(&{word}, {number});"],
        [f"{word} = {number};"],
    ]
    kind = random.randrange(10) if depth else random.randrange(5)
    if kind < 5:
        return random.choice(leaves)
    inside = _statements(random, depth - 1, random.randint(1, 2))
    if kind < 8:
        return [f"lock(&{lock});", *inside, *([f"unlock(&{lock});"] if random.randrange(12) else [])]
    if kind < 9 and random.randrange(5) == 0:
        return [f"unlock(&{lock});"]
    if random.randrange(2):
        return [f"if ({word} {random.choice(('==', '<'))} {number}) {{", *inside, "}"]
    return [f"for (int i{depth} = 0; i{depth} < 2; i{depth}++) {{", *inside, "}"]
