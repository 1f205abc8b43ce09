"""Which flags of a build reach the compiler, and which are refused."""

from __future__ import annotations

import pytest

from raceproof.core import InputError
from raceproof.frontend.flags import meaningful_flags, without_build_flags


@pytest.mark.parametrize(
    "flags",
    [
        ("-Wl,--wrap=malloc",),
        ("-Wl,-z,now,--wrap,malloc",),
        ("-Wl,--defsym=alias=shared",),
        ("-Xlinker", "--defsym=alias=shared"),
        ("-T", "link.ld"),
        ("-Wl,-T,link.ld",),
        ("-Wl,--script=link.ld",),
    ],
)
def test_flags_that_change_which_symbol_is_which_are_refused(flags: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match="changes what names mean"):
        without_build_flags(("-O2", *flags))
    with pytest.raises(InputError, match="changes what names mean"):
        meaningful_flags(("-c", *flags, "a.c"))


def test_other_flags_of_the_linker_are_dropped() -> None:
    assert without_build_flags(("-Wl,-z,now", "-Wl,--as-needed", "-DX")) == ("-DX",)
