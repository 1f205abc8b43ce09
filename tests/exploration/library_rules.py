"""What C11 and POSIX say about library functions and threads, one line per function, as the oracle of `library_pairs`.

    memcpy({c:w8}, {c:r8}, 8)            writes bytes 0 to 8 behind its first argument, reads as many behind the second
    strlen({c:r1-})                      reads one byte at least, and any number of them
    localtime({t:r}) | time buffer:w     writes something that the library has for all threads (XSH 2.9.1, C11 7.27.3)
    fputs("x", {F:l})                    takes the stream's lock for what it does (POSIX, flockfile)
    fclose({F:e})                        ends the stream: nobody else may use it at the same time

Written from the standards, not from raceproof's tables: C11 7.21 (streams), 7.22, 7.24, 7.27, 7.29 (which arguments
are read and written, static objects), XSH 2.9.1 (functions that need not be thread-safe), and the pages of the
functions. Where the standards leave it open whether two calls may run at the same time (rand, strerror, setlocale
against printf), the effect has a question mark: it must race with nothing, and nothing need be proved safe beside it.

Slots: `{type:effect}`; types are those of `OBJECTS`. Effects: `r`, `w`, `x` (both), then how many bytes are touched in
any case; with `-`, others may be, too; without a number all of the object. `l`: under the object's own lock; `e`: ends
the object.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_TEXT: Final = 64
OBJECTS: Final[dict[str, tuple[str, str, int]]] = {
    # type: declaration with NAME, initialisation in main, bytes
    "c": ("char NAME[64]", 'strcpy(NAME, "alpha beta");', _TEXT),
    "W": ("wchar_t NAME[16]", 'wcscpy(NAME, L"alpha");', _TEXT),
    "i": ("int NAME[1]", "NAME[0] = 1;", 4),
    "u": ("unsigned NAME[1]", "NAME[0] = 1;", 4),
    "l": ("long NAME[1]", "NAME[0] = 1;", 8),
    "z": ("size_t NAME[1]", "NAME[0] = 8;", 8),
    "d": ("double NAME[1]", "NAME[0] = 1.5;", 8),
    "t": ("time_t NAME[1]", "NAME[0] = 1000000;", 8),
    "tm": ("struct tm NAME[1]", "NAME->tm_year = 100; NAME->tm_mday = 1;", 56),
    "ts": ("struct timespec NAME[1]", "NAME->tv_nsec = 1;", 16),
    "tv": ("struct timeval NAME[1]", "NAME->tv_usec = 1;", 16),
    "a": ("int NAME[8]", "for (int k = 0; k < 8; k++) NAME[k] = 8 - k;", 32),
    "h": ("unsigned short NAME[3]", "NAME[0] = 1;", 6),
    "set": ("sigset_t NAME[1]", "sigemptyset(NAME);", 128),
    "st": ("struct stat NAME[1]", "", 144),
    "mb": ("mbstate_t NAME[1]", "", 8),
    "p": ("char *NAME[1]", 'NAME[0] = strdup("alpha,beta");', 8),
    "H": ("char *NAME", 'NAME = malloc(64); strcpy(NAME, "alpha");', _TEXT),
    "F": ("FILE *NAME", 'NAME = fopen("/dev/zero", "r+");', 200),
    "D": ("DIR *NAME", 'NAME = opendir("/");', 200),
}
LIBRARY_VARIABLES: Final = {"optind": "int", "timezone": "long", "environ": "char **", "signgam": "int"}


@dataclass(frozen=True, slots=True)
class Use:
    """What one call does to one object, or to the library's state `object`.

    `kind`: r, w, l, e. `must`: the bytes that are touched in any case, `may`: all that might be; None: the standards
    leave it open."""

    object: str
    kind: str
    must: tuple[int, int] | None
    may: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Rule:
    """A call, or a plain access, as C with `{slot}`s, and what it does to the library's state."""

    text: str
    hidden: tuple[Use, ...]
    slots: tuple[tuple[str, tuple[Use, ...]], ...]

    @property
    def name(self) -> str:
        found = re.search(r"(\w+)\(", self.text)
        return found[1] if found is not None and "{" not in self.text[: found.start()] else "plain"


_RULES: Final = """
memcpy({c:w8}, {c:r8}, 8)
memmove({c:w8}, {c:r8}, 8)
mempcpy({c:w8}, {c:r8}, 8)
memset({c:w16}, 'x', 16)
memcmp({c:r1-}, {c:r1-}, 8)
memchr({c:r1-}, 'x', 8)
bzero({c:w8}, 8)
strlen({c:r1-})
strnlen({c:r1-}, 8)
strcpy({c:w5-}, {c:r1-})
stpcpy({c:w1-}, {c:r1-})
strncpy({c:w8}, {c:r1-}, 8)
strcat({c:w0-}, {c:r1-})
strncat({c:w0-}, {c:r1-}, 3)
strcmp({c:r1-}, {c:r1-})
strncmp({c:r1-}, {c:r1-}, 4)
strcasecmp({c:r1-}, {c:r1-})
strcoll({c:r1-}, {c:r1-})
strxfrm({c:w1-}, {c:r1-}, 32)
strchr({c:r1-}, 'p')
strrchr({c:r1-}, 'p')
strstr({c:r1-}, {c:r1-})
strspn({c:r1-}, {c:r0-})
strcspn({c:r1-}, {c:r0-})
strpbrk({c:r1-}, {c:r0-})
strdup({c:r1-})
strndup({c:r1-}, 4)
strtok_r({c:x1-}, ",", {p:w})
strtok({c:x1-}, ",") | strtok:w
strsep({p:x}, ",")
atoi({c:r1-})
atol({c:r1-})
atof({c:r1-})
strtol({c:r1-}, {p:w}, 10)
strtoul({c:r1-}, 0, 10)
strtod({c:r1-}, {p:w})
sprintf({c:w1-}, "%d", 5)
snprintf({c:w1-}, 16, "%s", {c:r1-})
sprintf({c:w6-}, "%s", "alpha")
sscanf("12", "%d", {i:w})
sscanf({c:r1-}, "%ld", {l:w0-})
sscanf("7 8", "%u %d", {u:w}, {i:w})
wcslen({W:r4-})
wcscpy({W:w4-}, {W:r4-})
wcsncpy({W:w16}, {W:r4-}, 4)
wcscmp({W:r4-}, {W:r4-})
wmemcpy({W:w16}, {W:r16}, 4)
wmemset({W:w16}, L'x', 4)
wcschr({W:r4-}, L'p')
mbstowcs({W:w4-}, {c:r1-}, 8)
wcstombs({c:w1-}, {W:r4-}, 8)
mbrtowc({W:w0-}, "a", 1, {mb:x0-})
mbrlen({c:r1-}, 4, {mb:x0-})
mbsinit({mb:r0-})
swab({c:r8}, {c:w8}, 8)
qsort({a:x4-}, 8, 4, by_value)
bsearch({i:r0-}, {a:r0-}, 8, 4, by_value)
rand_r({u:x})
erand48({h:x})
nrand48({h:x})
drand48() | drand48:w
lrand48() | drand48:w
mrand48() | drand48:w
srand48(5) | drand48:w
rand() | rand:?
srand(3) | rand:?
random() | rand:?
abs(sink)
getenv("PATH") | environ:r
setenv("A", "b", 1) | environ:w
unsetenv("A") | environ:w
clearenv() | environ:w
tzset() | environ:r, time zone:l
mktime({tm:x0-}) | environ:r, time zone:l
time({t:w})
difftime(1, 2)
gmtime({t:r}) | time buffer:w
localtime({t:r}) | time buffer:w, environ:r, time zone:l
gmtime_r({t:r}, {tm:w4-})
localtime_r({t:r}, {tm:w4-}) | environ:?, time zone:?
asctime({tm:r4-}) | time buffer:w
ctime({t:r}) | time buffer:w, environ:r, time zone:l
asctime_r({tm:r4-}, {c:w1-})
ctime_r({t:r}, {c:w1-}) | environ:?, time zone:?
strftime({c:w1-}, 32, "%Y", {tm:r0-}) | environ:?, time zone:?, locale:r
strptime("2001", "%Y", {tm:w0-}) | locale:r
clock_gettime(CLOCK_REALTIME, {ts:w})
clock_getres(CLOCK_REALTIME, {ts:w})
gettimeofday({tv:w}, 0)
nanosleep({ts:r}, 0)
frexp(2.5, {i:w})
modf(2.5, {d:w})
remquo(5, 3, {i:w})
lgamma(2.5) | signgam:w
lgamma_r(2.5, {i:w})
sigemptyset({set:w8-})
sigfillset({set:w8-})
sigaddset({set:x0-}, SIGUSR1)
sigdelset({set:x0-}, SIGUSR1)
sigismember({set:r0-}, SIGUSR1)
sigpending({set:w8-})
stat("/", {st:w8-})
stat({c:r1-}, {st:w0-})
access({c:r1-}, 0)
getcwd({c:w1-}, 64)
readlink("/proc/self/exe", {c:w1-}, 64)
gethostname({c:w1-}, 64)
write(-1, {c:r0-}, 8)
read(zero, {c:w8}, 8)
pread(zero, {c:w8}, 8, 0)
ecvt(2.5, 3, {i:w}, {i:w}) | ecvt:w
fcvt(2.5, 3, {i:w}, {i:w}) | ecvt:w
gcvt(2.5, 3, {c:w1-})
l64a(77) | l64a:w
a64l({c:r1-})
inet_addr({c:r1-})
inet_ntoa(address) | inet_ntoa:w
inet_pton(AF_INET, "1.2.3.4", {i:w})
inet_ntop(AF_INET, {i:r}, {c:w1-}, 64)
getpwnam("root") | passwd:w
getpwuid(0) | passwd:w
getpwent() | passwd:w
setpwent() | passwd:w
getgrnam("root") | group:w
getgrgid(0) | group:w
getservbyname("http", "tcp") | servent:w
getprotobyname("tcp") | protoent:w
ttyname(0) | ttyname:w
ctermid({c:w1-})
tmpnam({c:w1-})
hcreate(8) | hash table:w
hdestroy() | hash table:w
mblen({c:r1-}, 4) | state of mblen:?
wctomb({c:w1-}, L'x') | state of wctomb:?
localeconv() | lconv:w
setlocale(LC_ALL, "C") | locale:w
setlocale(LC_ALL, 0) | locale:r
nl_langinfo(CODESET) | locale:r, words:?
strerror(2) | strerror:?
strerror_r(2, {c:w0-}, 64) | locale:r
getopt(1, words, "a") | optind:w
basename({c:x0-}) | basename:?
dirname({c:x0-}) | dirname:?
fnmatch({c:r1-}, {c:r0-}, 0)
fgetc({F:l})
getc({F:l})
fputc('x', {F:l})
putc('x', {F:l})
fputs("x", {F:l})
fputs({c:r1-}, {F:l})
fgets({c:w1-}, 8, {F:l})
fread({c:w8}, 1, 8, {F:l})
fwrite({c:r8}, 1, 8, {F:l})
fprintf({F:l}, "%d", 5)
fprintf({F:l}, "%s", {c:r1-})
fscanf({F:l}, "%d", {i:w0-})
fflush({F:l})
feof({F:l})
ferror({F:l})
clearerr({F:l})
fileno({F:l})
ftell({F:l})
fseek({F:l}, 0, SEEK_SET)
rewind({F:l})
ungetc('x', {F:l})
getline({p:x}, {z:x}, {F:l})
fclose({F:e})
getc_unlocked({F:x1-})
putc_unlocked('x', {F:x1-})
fputc_unlocked('x', {F:x1-})
feof_unlocked({F:r0-})
clearerr_unlocked({F:w0-})
puts({c:r1-}) | stdout:l
printf("%s", {c:r1-}) | stdout:l
putchar('x') | stdout:l
putchar_unlocked('x') | stdout:w
readdir({D:w})
rewinddir({D:w})
telldir({D:r0-})
closedir({D:e})
strcpy({H:w5-}, "alpha")
strlen({H:r1-})
memset({H:w8}, 0, 8)
free({H:e})
realloc({H:e}, 200)
asprintf({p:w}, "%d", 5)
posix_memalign((void **){p:w}, 16, 32)
realpath("/", {c:w1-})
sink = {c:r1}[0]
{c:w1}[0] = 'y'
sink = {i:r}[0]
{i:w}[0] = 2
{u:w}[0] = 2
sink = {l:r}[0]
{l:w}[0] = 2
sink = {d:r}[0] > 0
{d:w}[0] = 2
sink = {t:r}[0] > 0
{t:w}[0] = 2
{z:w}[0] = 2
{a:w4}[0] = 2
sink = {a:r4}[0]
{tm:w0-}->tm_mon = 2
sink = {tm:r0-}->tm_year
{ts:w8-}->tv_sec = 0
{tv:w8-}->tv_sec = 0
{W:w4}[0] = L'y'
sink = {W:r4}[0]
sink = {h:r2}[0]
{p:w}[0] = "q"
sink = {p:r}[0] != 0
sink = {H:r1}[0]
{H:w1}[0] = 'y'
sink = {st:r8-}->st_dev > 0
optind = 1 | optind:w
sink = optind | optind:r
sink = timezone > 0 | time zone:r
sink = signgam | signgam:r
sink = environ != 0 | environ:r
"""
_SLOT: Final = re.compile(r"\{(\w+):([rwxle])(\d*)(-?)\}")


def _uses(kind: str, number: str, more: str, name: str, size: int) -> tuple[Use, ...]:
    whole = (0, size)
    if kind in "le":
        return (Use(name, kind, whole, whole),)
    count = int(number) if number else size
    must = (0, count) if count else None
    may = whole if more else (0, count)
    return tuple(Use(name, each, must, may) for each in {"x": "rw"}.get(kind, kind))


def _hidden(text: str) -> tuple[Use, ...]:
    found: list[Use] = []
    for part in text.split(","):
        name, _, kind = part.strip().partition(":")
        if kind == "?":
            found.append(Use(name, "w", None, (0, 1)))
        elif kind:
            found.append(Use(name, kind, (0, 1), (0, 1)))
    return tuple(found)


def _rule(line: str) -> Rule:
    text, _, hidden = line.partition(" | ")
    slots = tuple(
        (match[1], _uses(match[2], match[3], match[4], match[1], OBJECTS[match[1]][2]))
        for match in _SLOT.finditer(text)
    )
    return Rule(text, _hidden(hidden), slots)


RULES: Final = tuple(_rule(line) for line in _RULES.strip().splitlines())


def conflict(first: Use, second: Use) -> tuple[bool, bool]:
    """Whether two uses of one object certainly race if nothing orders them, and whether they may."""
    if first.object != second.object or first.kind == second.kind == "r" or first.kind == second.kind == "l":
        return False, False
    must = first.must is not None and second.must is not None and _overlap(first.must, second.must)
    return must, _overlap(first.may, second.may)


def _overlap(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return max(a[0], b[0]) < min(a[1], b[1])


def with_slots(rule: Rule, names: tuple[str, ...]) -> str:
    """The C text, each slot replaced by a name."""
    given = iter(names)
    return _SLOT.sub(lambda _: next(given), rule.text)
