"""string.h, strings.h, wchar.h, ctype.h, wctype.h, iconv.h, regex.h, fnmatch.h.

Errs on the side of more accesses: a string is read and written to an unknown end. Who uses the locale is in
`process_state.py`.
"""

from __future__ import annotations

from typing import Final

from raceproof.facts.library.effect_terms import (
    ALL,
    INT64,
    LONG,
    MBSTATE,
    OPAQUE,
    POINTER,
    WCHAR,
    advances,
    arg,
    both,
    constant,
    effects,
    hidden,
    into,
    loaded,
    n,
    or_arg,
    own,
    rd,
    rw,
    state,
    static,
    store,
    wr,
)
from raceproof.facts.library.effects import STATIC_ARG, Effect
from raceproof.facts.library.process_state import LOCALE_WORDS, THREAD_LOCALE

_STRTOK: Final = Effect(static_object="strtok")
_DOMAIN: Final = both(Effect(static_object="text domain"), rd(STATIC_ARG, ALL))

STRING_H: Final = effects(
    ("strlen", rd(0)),
    ("strnlen __strnlen", rd(0, n(1))),
    ("strcmp strcoll strcasecmp strverscmp __strcasecmp", rd(0), rd(1)),
    ("strcoll_l strcasecmp_l", rd(0), rd(1)),
    ("strncmp strncasecmp strncasecmp_l", rd(0, n(2)), rd(1, n(2))),
    ("strcpy __strcpy_chk", wr(0), rd(1), arg(0)),
    ("stpcpy __stpcpy __stpcpy_chk", wr(0), rd(1), into(0)),
    ("strncpy __strncpy_chk", wr(0, n(2)), rd(1, n(2)), arg(0)),
    ("stpncpy __stpncpy __stpncpy_chk", wr(0, n(2)), rd(1, n(2)), into(0)),
    ("strlcpy __strlcpy_chk", wr(0, n(2)), rd(1)),
    ("strcat __strcat_chk", rw(0), rd(1), arg(0)),
    ("strncat __strncat_chk", rw(0), rd(1, n(2)), arg(0)),
    ("strlcat __strlcat_chk", rw(0, n(2)), rd(1)),
    ("strxfrm strxfrm_l", wr(0, n(2)), rd(1)),
    ("strchr strrchr strchrnul __strchrnul index rindex", rd(0), into(0)),
    ("strspn strcspn", rd(0), rd(1)),
    ("strpbrk strstr strcasestr", rd(0), rd(1), into(0)),
    ("strnstr", rd(0, n(2)), rd(1), into(0)),
    ("strsep __strsep", rd(1), advances(0), rw(0, deref=True), loaded(0)),
    (
        "strtok_r __strtok_r",
        *(rw(0), rd(1), rw(2, POINTER), store(0, 2), rw(2, deref=True), loaded(2)),
    ),
    (
        "strtok",
        *(_STRTOK, rw(0), rd(1), rd(STATIC_ARG, POINTER), store(0, STATIC_ARG), rw(STATIC_ARG, deref=True)),
        loaded(STATIC_ARG),
    ),
    # the text of a message: constant, or in a buffer of the thread's own (glibc since 2.32, musl always)
    ("strerror strerror_l", own("strerror")),
    ("strsignal", own("strsignal")),
    ("strerror_r", wr(1, n(2)), into(1)),  # GNU's returns buf or a constant, XSI's a number
    ("__xpg_strerror_r", wr(1, n(2))),
    ("strerrorname_np strerrordesc_np sigabbrev_np sigdescr_np", constant("messages")),
    ("strfry memfrob", rw(0), arg(0)),
    ("ffs ffsl ffsll",),
)

CTYPE_H: Final = effects(
    ("isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit",),
    ("tolower toupper toascii _tolower _toupper",),
    ("isalnum_l isalpha_l isblank_l iscntrl_l isdigit_l isgraph_l islower_l isprint_l ispunct_l isspace_l isupper_l",),
    ("isxdigit_l tolower_l toupper_l __tolower_l __toupper_l towlower_l towupper_l iswalnum_l iswalpha_l iswdigit_l",),
    ("iswspace_l iswupper_l iswlower_l iswprint_l iswpunct_l iswctype_l",),
    ("iswalnum iswalpha iswblank iswcntrl iswctype iswdigit iswgraph iswlower iswprint iswpunct iswspace",),
    ("iswupper iswxdigit towlower towupper towctrans",),
    ("wctype wctrans", rd(0)),
    ("__ctype_b_loc", own("ctype b table")),
    ("__ctype_tolower_loc", own("ctype tolower table")),
    ("__ctype_toupper_loc", own("ctype toupper table")),
    ("__ctype_get_mb_cur_max",),
)

WCHAR_H: Final = effects(
    ("wcslen wcswidth", rd(0)),
    ("wcsnlen", rd(0, n(1, unit=4))),
    ("wcwidth btowc wctob",),
    ("wcscmp wcscoll wcscasecmp", rd(0), rd(1)),
    ("wcsncmp wcsncasecmp", rd(0, n(2, unit=4)), rd(1, n(2, unit=4))),
    ("wcscpy __wcscpy_chk", wr(0), rd(1), arg(0)),
    ("wcpcpy", wr(0), rd(1), into(0)),
    ("wcpncpy", wr(0, n(2, unit=4)), rd(1, n(2, unit=4)), into(0)),
    ("wcslcpy", wr(0, n(2, unit=4)), rd(1)),
    ("wcslcat", rw(0, n(2, unit=4)), rd(1)),
    ("wcsncpy __wcsncpy_chk", wr(0, n(2, unit=4)), rd(1, n(2, unit=4)), arg(0)),
    ("wcscat __wcscat_chk", rw(0), rd(1), arg(0)),
    ("wcsncat", rw(0), rd(1, n(2, unit=4)), arg(0)),
    ("wcschr wcsrchr wcschrnul", rd(0), into(0)),
    ("wcsspn wcscspn", rd(0), rd(1)),
    ("wcspbrk wcsstr wcswcs", rd(0), rd(1), into(0)),
    ("wcstok", rw(0), rd(1), rw(2, POINTER), store(0, 2), rw(2, deref=True), loaded(2)),
    ("wcsxfrm", wr(0, n(2, unit=4)), rd(1)),
    ("mbsinit", rd(0, MBSTATE)),
    # C11 7.22.7, 7.29.6.3: each has a state of its own, which it need not guard against calls of the same function
    ("mbtowc", wr(0, WCHAR), rd(1, n(2)), hidden("state of mbtowc")),
    ("mbrtowc", wr(0, WCHAR), rd(1, n(2)), state(3, "state of mbrtowc")),
    ("mblen", rd(0, n(1)), hidden("state of mblen")),
    ("mbrlen", rd(0, n(1)), state(2, "state of mbrlen")),
    ("wctomb", wr(0, MBSTATE), hidden("state of wctomb")),
    ("wcrtomb", wr(0, MBSTATE), state(2, "state of wcrtomb")),
    ("mbstowcs __mbstowcs_chk", wr(0, n(2, unit=4)), rd(1)),
    ("wcstombs __wcstombs_chk", wr(0, n(2)), rd(1)),
    ("mbsrtowcs", wr(0, n(2, unit=4)), advances(1), rd(1, deref=True), state(3, "state of mbsrtowcs")),
    ("wcsrtombs", wr(0, n(2)), advances(1), rd(1, deref=True), state(3, "state of wcsrtombs")),
    ("mbsnrtowcs", wr(0, n(3, unit=4)), advances(1), rd(1, deref=True), state(4, "state of mbsnrtowcs")),
    ("wcsnrtombs", wr(0, n(3)), advances(1), rd(1, deref=True), state(4, "state of wcsnrtombs")),
    ("c8rtomb", wr(0, MBSTATE), state(2, "state of c8rtomb")),
    ("c16rtomb", wr(0, MBSTATE), state(2, "state of c16rtomb")),
    ("c32rtomb", wr(0, MBSTATE), state(2, "state of c32rtomb")),
    ("mbrtoc8", wr(0, WCHAR), rd(1, n(2)), state(3, "state of mbrtoc8")),
    ("mbrtoc16", wr(0, WCHAR), rd(1, n(2)), state(3, "state of mbrtoc16")),
    ("mbrtoc32", wr(0, WCHAR), rd(1, n(2)), state(3, "state of mbrtoc32")),
)

TEXT: Final = effects(
    ("iconv_open", rd(0), rd(1), OPAQUE),
    ("iconv_close", wr(0, ALL)),
    (
        "iconv",
        *(rw(0, ALL), advances(1, 3), rd(1, ALL, deref=True), rw(2, LONG)),
        *(wr(3, ALL, deref=True), rw(4, LONG)),
    ),
    ("fnmatch", rd(0), rd(1)),
    ("regcomp", wr(0, ALL), rd(1)),  # what regex_t points to, only the library sees
    ("regexec", rd(0, ALL), rd(1), wr(3, n(2, unit=8)), rd(3, INT64)),  # REG_STARTEND: it reads the first match
    ("regerror", rd(1, ALL), wr(2, n(3))),
    ("regfree", wr(0, ALL)),
    ("setlocale", rd(1), static("locale")),
    ("localeconv", static("lconv", linked=True)),
    # the locale that is given becomes part of the new one, or ends; functions whose names end in _l read theirs
    ("newlocale", rd(1), wr(2, ALL), or_arg(2), OPAQUE),
    ("duplocale", rd(0, ALL), OPAQUE),
    ("uselocale", rd(0, ALL), Effect(static_object=THREAD_LOCALE, stores=((0, STATIC_ARG),)), loaded(STATIC_ARG)),
    ("freelocale", wr(0, ALL)),
    ("nl_langinfo nl_langinfo_l", constant(LOCALE_WORDS)),
    ("gettext", rd(0), _DOMAIN, arg(0)),
    ("dgettext dcgettext", rd(0), rd(1), arg(1)),
    ("ngettext", rd(0), rd(1), _DOMAIN, or_arg(0), arg(1)),
    ("dngettext dcngettext", rd(0), rd(1), rd(2), or_arg(1), arg(2)),
    ("textdomain", rd(0), static("text domain")),
    ("bindtextdomain bind_textdomain_codeset", rd(0), rd(1)),
    ("l64a", static("l64a")),
    ("a64l", rd(0)),
    ("crypt", rd(0), rd(1), static("crypt")),
    ("crypt_r", rd(0), rd(1), rw(2, ALL), into(2)),
)

STRINGS: Final = STRING_H | CTYPE_H | WCHAR_H | TEXT
