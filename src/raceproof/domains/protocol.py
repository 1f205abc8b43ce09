"""What every abstract domain offers to an engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, TypeVar

from raceproof.domains.expressions import Expr, Variable
from raceproof.domains.linear import LinearExpr
from raceproof.domains.relation import Bounds

E = TypeVar("E")


class Domain(Protocol[E]):
    """Sets of states, as immutable elements. The operations belong to the domain, not to the element.

    Laws, tested for every domain by tests/laws/test_domains.py:
      * leq is a preorder and says "fewer states"; bottom() is its least element, top() its largest;
      * join(a, b) is an upper bound of a and b, meet(a, b) a lower bound with all states that both have;
      * widen(old, new) is an upper bound of both, and a chain of widenings becomes stable;
      * narrow(old, new) lies between new and old, if leq(new, old);
      * assign, assume, forget, meld are monotone, and sound: no state of `concrete` is lost.
    Monotone means: as long as no limit on size is reached.
    """

    def bottom(self) -> E: ...

    def top(self) -> E:
        """Every variable has any value of its type."""

    def is_bottom(self, element: E) -> bool:
        """True only if there is no state; a domain may fail to notice it."""

    def leq(self, a: E, b: E) -> bool: ...

    def join(self, a: E, b: E) -> E: ...

    def meet(self, a: E, b: E) -> E: ...

    def widen(self, old: E, new: E) -> E: ...

    def narrow(self, old: E, new: E) -> E: ...

    def assign(self, element: E, variable: Variable, expr: Expr) -> E:
        """After `variable = expr`; both of one type."""

    def assume(self, element: E, condition: Expr, truth: bool = True) -> E:
        """The states in which the condition is not zero (or is, if `truth` is False)."""

    def forget(self, element: E, variables: Iterable[Variable]) -> E:
        """Any value for these variables."""

    def project(self, element: E, variables: Iterable[Variable]) -> E:
        """Any value for all others."""

    def meld(
        self, of_mover: E, of_other: E, shared: Iterable[Variable], changed: Iterable[Variable] | None = None
    ) -> E:
        """The assertion of another thread after a move: (∃L1) of_mover ∧ (∃changed) of_other.

        Follows [TX, Definition 2]: with `changed` left out it is all of `shared`, as there.
        Differs: if the move can have written only some shared variables, of_other keeps what it relates to the rest.
        """

    def rename(self, element: E, names: Mapping[Variable, Variable]) -> E:
        """Variables under other names, all at once; what was known of a new name under its old meaning is lost."""

    def bounds(self, element: E, expr: LinearExpr) -> Bounds | None:
        """Least and largest value among all integers (of x, of x - y, ...); None if the element is bottom."""

    def describe(self, element: E) -> tuple[str, ...]:
        """The constraints, as text for people."""
