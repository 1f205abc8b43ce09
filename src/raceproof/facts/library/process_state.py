"""What the C library keeps once for the whole process, and which of its functions use it.

    uses_of("localtime_r")  ->  reads `environ`; writes `timezone`, `daylight` and `tzname`, under a lock of its own

The rows of `libc_*.py` say what a function does with its arguments and with a buffer of its own. Here is what so many
functions have in common that rows would repeat it: the environment, the locale, the time zone, the state of getopt, the
name of the program. A variable that the program can name is known by that name. A function that is thread-safe
by itself guards what it writes, against other functions of the library but not against the program, which reads
`timezone` with no lock. Functions that POSIX (XSH 2.9.1) does not call thread-safe guard nothing.

Lists err on the side of more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from raceproof.facts.library.symbol_names import names_of
from raceproof.ir import LIBRARY_ALIASES, Program


@dataclass(frozen=True, slots=True)
class StateUse:
    """A function uses the library's object `state`. `guarded`: under a lock of the library's.

    `leads_to`: how many pointers on: 1 is what is read or written through the pointers in it.
    """

    state: str
    writes: bool
    guarded: bool = False
    leads_to: int = 0


ALIASES: Final = LIBRARY_ALIASES
"""Other names of the library's variables."""


THREAD_LOCALE: Final = "locales of threads"
"""Where `uselocale` keeps what it is given. Each thread has its own; they are not told apart."""


RANDOM_STATE: Final = "random state"
"""Where `initstate` and `setstate` keep the buffer that they are given."""
SYSLOG_NAME: Final = "name for the log"
"""Where `openlog` keeps the string that it is given."""
LOCALE_WORDS: Final = "words of locales"


def declared_name(program: Program, name: str) -> str | None:
    """The name under which the program declares the library's variable `name`."""
    if name in program.globals:
        return name
    aliases = (program.globals.get(alias) for alias, meant in ALIASES.items() if meant == name)
    return next((variable.name for variable in aliases if variable is not None and variable.is_external), None)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_LOCAL_TIME: Final = _words("""
    tzset localtime localtime_r ctime ctime_r mktime timelocal strftime strftime_l wcsftime getdate getdate_r strptime
    syslog vsyslog
""")
_ENVIRONMENT_READERS: Final = (
    *_LOCAL_TIME,
    *_words("""
    system popen execv execvp execl execlp execvpe posix_spawnp wordexp glob get_current_dir_name
    setlocale newlocale dlopen tempnam tmpnam getopt getopt_long getopt_long_only
    getaddrinfo getnameinfo gethostbyname gethostbyname2 gethostbyaddr gethostbyname_r gethostbyname2_r gethostbyaddr_r
    res_init __res_init iconv_open catopen fmtmsg
    gettext dgettext dcgettext ngettext dngettext dcngettext
"""),
)
_PRINTS: Final = _words("""
    printf fprintf dprintf sprintf snprintf asprintf vprintf vfprintf vdprintf vsprintf vsnprintf vasprintf
    wprintf fwprintf swprintf vwprintf vfwprintf vswprintf syslog vsyslog
    warn warnx vwarn vwarnx err errx verr verrx error error_at_line perror psignal psiginfo
""")
_SCANS: Final = _words("""
    scanf fscanf sscanf vscanf vfscanf vsscanf wscanf fwscanf swscanf vwscanf vfwscanf vswscanf
""")
_CHARACTERS: Final = _words("""
    isalnum isalpha isblank iscntrl isgraph islower isprint ispunct isspace isupper tolower toupper
    iswalnum iswalpha iswblank iswcntrl iswctype iswgraph iswlower iswprint iswpunct iswspace iswupper
    towctrans towlower towupper wctrans wctype __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc
    __ctype_get_mb_cur_max
    mblen mbrlen mbtowc mbrtowc mbstowcs mbsrtowcs mbsnrtowcs wctomb wcrtomb wcstombs wcsrtombs wcsnrtombs btowc wctob
    mbrtoc8 mbrtoc16 mbrtoc32 c8rtomb c16rtomb c32rtomb wcwidth wcswidth
    fgetwc getwc getwchar ungetwc fputwc putwc putwchar fgetws fputws
    fgetwc_unlocked getwc_unlocked getwchar_unlocked fputwc_unlocked putwc_unlocked putwchar_unlocked
""")
_TEXTS: Final = _words("""
    strcoll strxfrm strcasecmp strncasecmp strcasestr wcscoll wcsxfrm wcscasecmp wcsncasecmp
    strtol strtoll strtoul strtoull strtoimax strtoumax strtoq strtouq strtof strtod strtold strtof128
    strtof32 strtof64 strtof32x strtof64x atoi atol atoll atof
    wcstol wcstoll wcstoul wcstoull wcstoimax wcstoumax wcstof wcstod wcstold wcstoq wcstouq
    strftime wcsftime strptime getdate strerror strerror_r __xpg_strerror_r strsignal
    regcomp regexec regerror fnmatch glob wordexp rpmatch localeconv nl_langinfo iconv_open
    gettext dgettext dcgettext ngettext dngettext dcngettext
    ecvt fcvt gcvt ecvt_r fcvt_r qecvt qfcvt qgcvt qecvt_r qfcvt_r alphasort scandir duplocale
""")
_RANDOM: Final = _words("rand srand random srandom initstate setstate")
_GETOPT: Final = _words("getopt getopt_long getopt_long_only __posix_getopt")
_NAMED_MESSAGES: Final = _words("error error_at_line warn warnx vwarn vwarnx err errx verr verrx syslog vsyslog")


@cache
def _uses() -> Mapping[str, tuple[StateUse, ...]]:
    found: dict[str, dict[StateUse, None]] = {}

    def use(names: tuple[str, ...], *uses: StateUse) -> None:
        for name in names:
            found.setdefault(name, {}).update(dict.fromkeys(uses))

    use(_ENVIRONMENT_READERS, StateUse("environ", False), StateUse("environ", False, leads_to=1))
    for variable in ("timezone", "daylight", "tzname"):
        use(_LOCAL_TIME, StateUse(variable, False, guarded=True), StateUse(variable, True, guarded=True))
    # It writes the object itself: see its row. Its lock is its own, and others read with none.
    use((*_PRINTS, *_SCANS, *_CHARACTERS, *_TEXTS), StateUse("locale", False))
    use((*_PRINTS, *_SCANS, *_CHARACTERS, *_TEXTS), StateUse(THREAD_LOCALE, False, leads_to=1))
    # what these two return may be overwritten by setlocale (POSIX)
    use(("setlocale",), StateUse("lconv", True), StateUse(LOCALE_WORDS, True))
    use(_RANDOM, StateUse(RANDOM_STATE, False, guarded=True, leads_to=1))
    use(_RANDOM, StateUse(RANDOM_STATE, True, guarded=True, leads_to=1))
    use(("syslog", "vsyslog"), StateUse(SYSLOG_NAME, False, leads_to=1))
    use(_GETOPT, StateUse("optind", False), StateUse("optind", True), StateUse("optopt", True))
    use(_GETOPT, StateUse("opterr", False))
    use(("getdate",), StateUse("getdate_err", True))
    name_of_program = ("program_invocation_name", "program_invocation_short_name")
    for variable in name_of_program:
        use(_NAMED_MESSAGES, StateUse(variable, False), StateUse(variable, False, leads_to=1))
    use(("error", "error_at_line"), StateUse("error_message_count", False), StateUse("error_message_count", True))
    use(("error", "error_at_line"), StateUse("error_one_per_line", False))
    return {name: tuple(uses) for name, uses in found.items()}


def uses_of(name: str) -> tuple[StateUse, ...]:
    """How the library function `name` uses what there is once for the whole process."""
    table = _uses()
    return next((table[known] for known in names_of(name) if known in table), ())
