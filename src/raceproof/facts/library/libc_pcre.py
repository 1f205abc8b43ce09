"""PCRE and PCRE2 (8 bits): not the C library, but in most programs that search.

Compiled patterns, the results of studying them and blocks for matches are the library's own objects. A match reads the
pattern and the subject, and writes what the caller has given for the result. Functions that the program puts into the
library's variables (`pcre_malloc`, `pcre_callout`) are an obstacle of their own; those that keep functions or tables of
the program are in no table.
"""

from __future__ import annotations

from typing import Final

from raceproof.facts.library.effect_terms import (
    ALL,
    INT,
    OPAQUE,
    POINTER,
    both,
    constant,
    effects,
    frees,
    into,
    n,
    rd,
    rw,
    store,
    wr,
)
from raceproof.facts.library.effects import STATIC_ARG, Effect

_MESSAGES: Final = Effect(static_object="messages of PCRE")
_COMPILED: Final = both(_MESSAGES, rd(0), store(STATIC_ARG, 2), OPAQUE)
_CODE: Final = both(rd(0, ALL), rd(1, ALL), rw(1, ALL, deref=True))
_MATCH: Final = both(rd(0, ALL), rd(1, ALL), rw(5, ALL), rd(6, ALL), Effect(stores=((0, 5), (1, 5))))

PCRE: Final = effects(
    ("pcre_compile", _COMPILED, wr(3, INT), rd(4, ALL), Effect(keeps=(4,))),
    ("pcre_study", _MESSAGES, rd(0, ALL), store(STATIC_ARG, 2), OPAQUE),
    ("pcre_exec", _CODE, rd(2, n(3)), wr(6, n(7, unit=4))),
    ("pcre_dfa_exec", _CODE, rd(2, n(3)), wr(6, n(7, unit=4)), rw(8, ALL)),
    ("pcre_fullinfo", rd(0, ALL), rd(1, ALL), wr(3, ALL), store(0, 3)),
    ("pcre_free_study", frees(0)),
    ("pcre_config", wr(1, ALL)),
    ("pcre_maketables", OPAQUE),
    ("pcre_version", constant("PCRE constants")),
    ("pcre2_compile_8", rd(0, ALL), wr(3, INT), wr(4, POINTER), rd(5, ALL), OPAQUE),
    ("pcre2_jit_compile_8", rw(0, ALL)),
    ("pcre2_match_data_create_8", rd(1, ALL), OPAQUE),
    ("pcre2_match_data_create_from_pattern_8", rd(0, ALL), rd(1, ALL), OPAQUE),
    ("pcre2_match_8 pcre2_jit_match_8", _MATCH),
    ("pcre2_get_ovector_pointer_8", rd(0, ALL), into(0)),
    ("pcre2_get_ovector_count_8 pcre2_get_startchar_8", rd(0, ALL)),
    ("pcre2_get_error_message_8", wr(1, n(2))),
    ("pcre2_match_data_free_8 pcre2_code_free_8", frees(0)),
    ("pcre2_config_8", wr(1, ALL)),
)
