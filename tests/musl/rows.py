"""What the tables say of a function, in the words of `effect_set`: everything that they allow its body to do.

Beside its row that is `process_state` (the environment, the time zone, variables of the library), `streams`, and that
functions whose names end in `_l` read the locale that is their last argument.
"""

from __future__ import annotations

from typing import Final

from musl.effect_set import Did, argument
from raceproof.facts.library.effects import STATIC_ARG, Bytes, Effect, Extent, Format, Returns
from raceproof.facts.library.process_state import uses_of
from raceproof.facts.library.streams import stream_object, stream_uses

_DEPTHS: Final = (0, 1, 2)


class Row:
    """`allows` asks whether the row says what a body does."""

    def __init__(self, name: str, effect: Effect, fixed: int) -> None:
        self._name = name
        self._effect = effect
        self._fixed = fixed
        self._touched: dict[tuple[str, str], int | None] = {}
        self._said: set[tuple[str, str]] = set()
        self._touches()
        self._pointers()
        self._results()
        self._states()

    def allows(self, did: Did) -> bool:
        match did.what:
            case "reads" | "writes":
                kinds = ("reads", "writes") if did.what == "reads" else ("writes",)
                ends = [self._touched[kind, did.place] for kind in kinds if (kind, did.place) in self._touched]
                return any(end is None or (did.end is not None and did.end <= end) or did.end is None for end in ends)
            case "frees":  # two threads cannot tell it from a write to all of the object
                return ("frees", did.place) in self._said or self._touched.get(("writes", did.place), 0) is None
            case _:
                return (did.what, did.place) in self._said or (did.what, "anywhere") in self._said

    def unused(self, done: frozenset[Did]) -> tuple[str, ...]:
        """What the row says and the body does not do: precision that is given away."""
        used = {(did.what, did.place) for did in done}
        return tuple(
            f"{what} {place}"
            for what, place in sorted([*self._touched, *self._said])
            if (what, place) not in used and place != "anywhere" and what in ("reads", "writes", "frees", "calls")
        )

    def _place(self, index: int, depth: int = 0) -> str:
        if index == STATIC_ARG:
            return "*" * min(depth, 1) + f"static {self._effect.static_object}"
        return argument(index, depth, self._fixed)

    def _touch(self, what: str, place: str, end: int | None) -> None:
        key = (what, place)
        before = self._touched.get(key, 0)
        self._touched[key] = None if end is None or before is None else max(before, end)

    def _touches(self) -> None:
        effect = self._effect
        for what, touches in (("reads", effect.reads), ("writes", effect.writes)):
            for touch in touches:
                for depth in {touch.deref, min(touch.deref, 2)}:
                    self._touch(what, self._place(touch.arg, depth), _end(touch.extent))
        if effect.static_for_null is not None and effect.static_object is not None:
            for what in ("reads", "writes"):
                self._touch(what, f"static {effect.static_object}", None)
        for at in effect.frees:
            place = self._place(at)
            self._said.add(("frees", place))
            for what in ("reads", "writes"):
                self._touch(what, place, None)
        if effect.format is not Format.NONE:
            for what in ("reads", "writes"):
                self._touch(what, "variadic", None)
                if effect.va_list_arg is not None:
                    for depth in (1, 2):
                        self._touch(what, self._place(effect.va_list_arg, depth), None)
            if effect.format is Format.SCANF:  # %ms
                self._store("fresh", "variadic" if effect.va_list_arg is None else self._place(effect.va_list_arg, 2))

    def _states(self) -> None:
        for use in uses_of(self._name):
            self._touch("writes" if use.writes else "reads", "*" * use.leads_to + f"static {use.state}", None)
        for stream in stream_uses(self._name):
            if stream.argument is not None and not stream.locked:
                self._touch("writes", self._place(stream.argument), None)
            if stream.variable is not None and not stream.locked:
                self._touch("writes", f"static {stream_object(stream.variable)}", None)
        if self._name.endswith("_l") and self._fixed:
            self._touch("reads", self._place(self._fixed - 1), None)

    def _store(self, value: str, where: str) -> None:
        self._said.add((f"stores {value} in", where))

    def _pointers(self) -> None:
        effect = self._effect
        for at in effect.keeps:
            for depth in _DEPTHS:
                self._store(self._place(at, depth), "anywhere")
        for to, source in effect.copies:
            self._copied(source, self._place(to))
        for to, source, _ in effect.elements:
            self._copied(source, self._place(to))
        for source in effect.copies_to_result:
            self._copied(source, "fresh")
        for value, to in effect.stores:
            self._store(self._place(value), self._place(to))
        for at in effect.advances:
            self._store(self._place(at, 1), self._place(at))
        for at in effect.fresh_into:
            self._store("fresh", self._place(at))
        for callback in effect.calls:
            for depth in (0, 1):
                self._said.add(("calls", self._place(callback.function, depth)))
            if callback.later:
                self._store(self._place(callback.function, int(callback.deref)), "anywhere")
                for index in callback.args:
                    if index is not None:
                        self._store(self._place(index, int(callback.loads)), "anywhere")

    def _copied(self, source: int, where: str) -> None:
        for depth in (1, 2):
            self._store(self._place(source, depth), where)

    def _results(self) -> None:
        effect = self._effect
        at = effect.returns_arg
        match effect.returns:
            case Returns.ARG | Returns.INTO_ARG if at is not None:
                self._said.add(("returns", self._place(at)))
            case Returns.LOADED if at is not None:
                self._said.add(("returns", self._place(at, 1)))
                if at == STATIC_ARG:  # the object stands for what it points to as well
                    self._said.add(("returns", self._place(at)))
                for value, to in effect.stores:
                    if to == at:
                        self._said.add(("returns", self._place(value)))
            case Returns.FRESH | Returns.OPAQUE:
                self._said.add(("returns", "fresh"))
            case Returns.STATIC:
                self._said.add(("returns", f"static {effect.static_object}"))
            case _:
                pass
        if effect.or_arg is not None:
            self._said.add(("returns", self._place(effect.or_arg)))


def _end(extent: Extent) -> int | None:
    return extent.count if isinstance(extent, Bytes) else None
