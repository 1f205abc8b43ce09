"""Which programs a soak is made of: the program of a seed, whichever generator draws it, and how to make it smaller.

The families, each with a generator of its own: `sc` and `weak` (branches on shared data under locks, without and with
the weaker memory orders), `values` (values decide), `loops` (loops and inputs; `dfs` tries all values of these),
`api` (the whole thread API, pointers, heap), `loose` (every way to wait, without a plan), `chains` (threads that wait
for others in chains), `lists` (lists that hang on several roots, each with its lock), `queues` (nodes that are taken
out of lists and used without a lock), `heap locks` (locks in what threads are given; `test_heap_locks` alone draws
these), `owners` (objects that one thread has, that are handed over, or that all only read), `startup` (code before
main and after it), `idioms` (idioms put together and spoiled, statements at random), `variations` (the programs of
`tests/programs`, spoiled), `library` (two calls of the library about one object, whose truth the standards tell: see
`library_judging`), `inputs` (a value from outside decides whether there is a race; the truth is known by
construction), `limits` (as many objects as the explorer can follow, or more; the truth is known by construction).
Programs of all but the last five are trees or small, which end and are bounded, so that `dfs` comes to its end, but
for some of `lists`; those of the last five are texts, which `dfs` may not finish.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from differential.generator import generate as idioms
from differential.shrinker import candidates

from exploration import (
    api,
    chains,
    generator,
    given,
    heap_locks,
    library_pairs,
    limits,
    lists,
    loose,
    owners,
    queues,
    small_loops,
    startup,
    values,
    variations,
)
from exploration.syntax import Source, render, smaller


@dataclass(frozen=True, slots=True)
class Specimen:
    """A program: C without headers, and the tree that it was written from, if there was one."""

    family: str
    seed: int
    text: str
    source: Source | None = None

    def smaller(self) -> Iterator[Specimen]:
        """Programs with one piece less; of another pair of calls the standards would say something else, and what the
        generator of `limits` says holds for the whole program alone."""
        if self.family == library_pairs.MODE:
            return
        if self.source is None:
            for text in candidates(self.text):
                yield replace(self, text=limits.without_truth(text))
            return
        for source in smaller(self.source):
            yield replace(self, text=render(source), source=source)


_TREES: Final[dict[str, Callable[[int], Source]]] = {
    "sc": lambda seed: generator.generate(seed, "sc"),
    "weak": lambda seed: generator.generate(seed, "weak"),
    "values": values.generate,
    "loops": lambda seed: small_loops.generate(seed, small_loops.mode_of(seed)),
    "api": api.generate,
    "loose": loose.generate,
    "chains": chains.generate,
    "lists": lists.generate,
}
_TEXTS: Final[dict[str, Callable[[int], str]]] = {
    "queues": queues.generate,
    owners.MODE: owners.generate,
    heap_locks.MODE: heap_locks.generate,
    startup.MODE: startup.generate,
    "idioms": lambda seed: idioms(seed).text,
    "variations": variations.generate,
    library_pairs.MODE: lambda seed: library_pairs.generate(seed).text,
    "inputs": given.generate,
    limits.MODE: limits.generate,
}
FAMILIES: Final = (*_TREES, *_TEXTS)
CYCLE: Final = (
    *("sc", "api", "loops", "idioms", "values", "loose", "variations", "weak", "api", "owners", "loose", "chains"),
    *("variations", "chains", "lists", "queues", "library", "inputs", "startup", "limits"),
)
"""The families of consecutive seeds."""


def specimen(seed: int, family: str | None = None) -> Specimen:
    family = family or CYCLE[seed % len(CYCLE)]
    if family in _TEXTS:
        return Specimen(family, seed, _TEXTS[family](seed))
    source = _TREES[family](seed)
    return Specimen(family, seed, render(source), source)
