"""32-bit programs are executed: searches, replays, evidence, and what their own C library gives them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from exploring import Searched, Subject, host_run, load, load_text, output_of, search

from raceproof.cli import Exit, main
from raceproof.core import Unsupported
from raceproof.explore import build
from raceproof.explore.library32 import LIBRARY, takes_wide_types
from raceproof.explore.protocol import BY_SCHEDULES

pytestmark = pytest.mark.skipif(build.why_not_32_bits() is not None, reason=str(build.why_not_32_bits()))

MODELS = ("-m64", "-m32")


def found(text: str, directory: Path, flag: str, **options: object) -> Searched:
    return search(load_text(text, directory, flag), find_all=True, trust=False, **options)


def printed(text: str, directory: Path, flag: str = "-m32", **options: object) -> str:
    return output_of(host_run(load_text(text, directory, flag), find_all=True, **options))


# --- what a race is depends on the model

BY_SIZE = """
static int x;
static void *w(void *p) { if (sizeof(long) == 4) x++; return p; }
int main(void) { RUN(w, w); return 0; }
"""
# With pointers of 4 bytes, words[1] is the same memory as pair.second.
OVERLAPPING = """
static union { struct { void *first; int second; } pair; int words[4]; } u;
static void *one(void *p) { u.words[1] = 1; return p; }
static void *two(void *p) { u.pair.second = 2; return p; }
int main(void) { RUN(one, two); return 0; }
"""
OVERFLOWING = """
static volatile unsigned long top = 0xffffffff;
static int x;
static void *w(void *p) { unsigned long next = top + 1; if (next == 0) x++; return p; }
int main(void) { RUN(w, w); return 0; }
"""


@pytest.mark.parametrize("text", [BY_SIZE, OVERLAPPING, OVERFLOWING])
@pytest.mark.parametrize("algorithm", ["race", "dpor", "dfs"])
def test_the_model_decides(text: str, algorithm: str, tmp_path: Path) -> None:
    verdicts = [found(text, tmp_path, flag, algorithm=algorithm).verdict for flag in MODELS]
    assert verdicts == ["race-free", "race"]


# --- the contract with the host

WIDE = """
static struct { int a; long long wide, added; _Atomic long long atomic; double d; } s;
static void *w(void *p) {
    s.wide += 1LL << 40;
    s.atomic += 1LL << 40;
    __atomic_fetch_add(&s.added, 1LL << 40, __ATOMIC_SEQ_CST);
    return p;
}
int main(void) {
    RUN(w, w);
    s.d = (double)s.wide / 3;
    printf("%lld %.1f %lld", s.wide / 7, s.d, s.wide % 1000);
    return 0;
}
"""


def test_accesses_of_eight_bytes(tmp_path: Path) -> None:
    results = [found(WIDE, tmp_path, flag) for flag in MODELS]
    assert results[0].races == results[1].races
    assert results[0].executions == results[1].executions
    assert printed(WIDE, tmp_path) == printed(WIDE, tmp_path, "-m64")


def test_lengths_of_library_calls(tmp_path: Path) -> None:
    """What only limits a copy may be all bits set; what is copied must not be taken for nothing then."""
    text = """
    static char from[8] = "abc", to[8];
    static void *one(void *p) { snprintf(to, (size_t)-1 / 2, "%s", from); return p; }
    static void *two(void *p) { char b[8]; b[0] = 0; strncat(b, from, (size_t)-1); return p; }
    static void *three(void *p) { memcpy(from + 4, "x", 2); from[1] = 'x'; return p; }
    int main(void) { RUN(one, two, three); return 0; }
    """
    results = [found(text, tmp_path, flag) for flag in MODELS]
    assert sorted(results[1].races) == sorted(results[0].races)
    assert {line for pair in results[1].races for line in pair} == {3, 4, 5}


SECTIONS = """
static int x; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void section(void) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); }
static void *w(void *p) { for (int i = 0; i < 3; i++) section(); return p; }
int main(void) { RUN(w, w, w); printf("%d", x); return 0; }
"""


@pytest.mark.parametrize("algorithm", BY_SCHEDULES)
def test_counts_are_those_of_64_bits(algorithm: str, tmp_path: Path) -> None:
    limits = {"max_executions": 3000} if algorithm == "dfs" else {}
    counts = [found(SECTIONS, tmp_path, flag, algorithm=algorithm, **limits).executions for flag in MODELS]
    assert counts[0] == counts[1]
    if algorithm == "optimal":
        assert counts[0] == 1680  # 9! / 3!^3


@pytest.mark.parametrize("isolation", ["memory", "fork"])
def test_isolation(isolation: str, tmp_path: Path) -> None:
    result = found(SECTIONS, tmp_path, "-m32", isolation=isolation)
    assert result.verdict == "race-free"
    assert result.executions == found(SECTIONS, tmp_path, "-m64").executions


def test_a_search_is_shared_among_processes(tmp_path: Path) -> None:
    result = found(SECTIONS, tmp_path, "-m32", algorithm="dpor", jobs=2)
    assert result.verdict == "race-free"
    assert result.executions >= 1680


# --- the C library

LIBRARY_PROGRAM = r"""
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
static _Thread_local int mine = 7;
static int big[3000000];
static jmp_buf place;
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static long sum(int n, ...) {
    va_list list; long total = 0;
    va_start(list, n);
    for (int i = 0; i < n; i++) total += va_arg(list, int);
    double d = va_arg(list, double);
    long long wide = va_arg(list, long long);
    va_end(list);
    return total + (long)d + (long)(wide >> 32);
}
struct mixed { short a; double b; char c; };
static struct mixed doubled(struct mixed x) { x.a *= 2; x.b *= 2; return x; }
static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static void said(void *p) { printf("cleanup %s\n", (char *)p); }
static void *worker(void *arg) {
    pthread_cleanup_push(said, "one");
    pthread_mutex_lock(&m), pthread_mutex_lock(&m);
    mine++, big[2999999]++;
    pthread_mutex_unlock(&m), pthread_mutex_unlock(&m);
    pthread_exit((void *)(intptr_t)mine);
    pthread_cleanup_pop(0);
    return arg;
}
int main(int argc, char **argv) {
    char text[] = "b,a,c", *block = malloc(100), *rest;
    int numbers[] = {3, 1, 2}, jumped, read, whole;
    double half;
    struct { int before; struct timespec now; int between; pthread_attr_t attributes; int behind; } guarded = {1};
    qsort(numbers, 3, sizeof *numbers, compare);
    printf("%d%d%d\n", numbers[0], numbers[1], numbers[2]);
    for (char *t = strtok(text, ","); t; t = strtok(NULL, ",")) printf("%s;", t);
    if ((jumped = setjmp(place)) == 0) longjmp(place, 5);
    struct mixed x = doubled((struct mixed){3, 1.5, 'x'});
    printf("%d %ld %d %.2f %c\n", jumped, sum(3, 1, 2, 3, 4.5, 7LL << 32), x.a, x.b, x.c);
    printf("%d %d %c %.6f %.1f\n", !!isalpha('a'), !!isdigit('x'), toupper('q'), sqrt(2), pow(2, 70));
    strcpy(block, "12 rest"), whole = (int)strtol(block, &rest, 10);
    printf("%d%s %d %.3Lf\n", whole, rest, snprintf(block, 4, "%s", "longer"), 1.25L);
    read = sscanf("1.5 2", "%lf %d", &half, &whole);
    printf("%d %g %d\n", read, half, whole);
    clock_gettime(CLOCK_REALTIME, &guarded.now), pthread_attr_init(&guarded.attributes);
    time_t now = time(NULL);
    printf("%d %d %d %d\n", guarded.before, guarded.between, guarded.behind, gmtime(&now)->tm_year);
    void *result; pthread_t id;
    pthread_create(&id, NULL, worker, NULL), pthread_join(id, &result);
    printf("%ld %d %d\n", (long)result, mine, big[2999999]);
    fprintf(stderr, "%d %s\n", argc, argv[0]);
    printf("%s %s %d\n", basename("a/b"), strerror_r(ENOENT, text, sizeof text), rawmemchr("abc", 'c') != NULL);
    free(block);
    return 0;
}
"""


def test_a_program_with_much_of_the_library(tmp_path: Path) -> None:
    narrow = printed(LIBRARY_PROGRAM, tmp_path)
    assert narrow.splitlines()[0] == "123"
    assert narrow.splitlines()[-3:] == ["8 7 1", "1 program", "b No such file or directory 1"]
    assert "1 0 0 120" in narrow
    assert narrow == printed(LIBRARY_PROGRAM, tmp_path, "-m64")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("deep(0);", "stack overflow"),
        ("*null = 1;", "crash"),
        ("assert(sizeof(long) == 8);", "assertion"),
        ("free(&x);", "invalid free"),
        ("free(stdout);", "invalid free"),
    ],
)
def test_executions_that_end_badly(text: str, kind: str, tmp_path: Path) -> None:
    program = """
    static int x, *null;
    static int deep(int n) { volatile char b[999]; b[0] = 1; return deep(n + 1) + b[0]; }
    static void *w(void *p) { x++; return p; }
    """
    result = found(f"{program} int main(void) {{ RUN(w, w); {text} return (int)(intptr_t)deep; }}", tmp_path, "-m32")
    assert [k for k, _ in result.others] == [kind]
    assert result.verdict == "race"


def test_large_blocks_and_arrays(tmp_path: Path) -> None:
    text = """
    static char a[600u << 20];
    static void *w(void *p) { a[500u << 20]++; return p; }
    int main(void) {
        char *b = malloc(150u << 20);
        RUN(w, w);
        b[149u << 20] = 1;
        printf("%d", a[500u << 20]);
        return 0;
    }
    """
    subject = load_text(text, tmp_path, "-m32")
    assert search(subject, find_all=True, trust=False).verdict == "race"
    assert output_of(host_run(subject, find_all=True)) == "2"


# --- what is refused


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('#include <sys/stat.h>\nint main(void) { struct stat s; return stat("/", &s); }', "calls `stat`"),
        ("int nowhere(void); int main(void) { return nowhere(); }", "without `nowhere`"),
        ("__attribute__((regparm(2))) int other(int, int); int main(void) { return other(1, 2); }", "calls `other`"),
    ],
)
def test_what_the_host_does_not_have_is_refused_by_name(text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match=reason):
        found(text, tmp_path, "-m32")


def test_times_of_64_bits_are_refused_by_name(tmp_path: Path) -> None:
    """The runtime would write 8 bytes where the program has room for 16, and reads nonsense."""
    path = tmp_path / "program.c"
    path.write_text("#include <time.h>\nint main(void) { struct timespec t; return clock_gettime(0, &t); }")
    subject = load(path, "-m32", "-D_TIME_BITS=64", "-D_FILE_OFFSET_BITS=64")
    with pytest.raises(Unsupported, match="__clock_gettime64"):
        search(subject)


def test_which_names_mean_wide_types() -> None:
    assert all(map(takes_wide_types, ("fseeko64", "__clock_gettime64", "__gmtime64_r", "__select_time64")))
    assert not any(map(takes_wide_types, ("printf", "__isoc99_sscanf", "a64l")))


def test_a_machine_that_does_not_run_them(monkeypatch: pytest.MonkeyPatch) -> None:
    ask = build.why_not_32_bits.__wrapped__
    assert ask() is None
    monkeypatch.setattr(build, "_TINY", b"not a program")
    assert "does not run them" in str(ask())
    monkeypatch.setattr(build.platform, "machine", lambda: "riscv64")
    assert "riscv64" in str(ask())


def test_the_table_of_symbols_is_sorted() -> None:
    names = [line.split('"')[1] for line in build._symbols("x86", None).read_text().splitlines() if ".asciz" in line]
    assert names == sorted(names)
    assert {"rp_read", "rp_site", "rp_lib_malloc", *LIBRARY} <= set(names)


# --- commands


def task(directory: Path, model: str, text: str) -> Path:
    (directory / "task.i").write_text(text, encoding="utf-8")
    path = directory / "task.yml"
    path.write_text(
        "format_version: '2.0'\ninput_files: 'task.i'\nproperties:\n  - property_file: no-data-race.prp\n"
        f"    expected_verdict: false\noptions:\n  language: C\n  data_model: {model}\n"
    )
    return path


TASK = """
typedef unsigned long int pthread_t;
typedef union { char __size[36]; long int __align; } pthread_attr_t;
typedef union { struct { int l; unsigned c; int o, k; unsigned n; int s; } d; char __size[24]; } pthread_mutex_t;
extern int pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
extern int pthread_join(pthread_t, void **);
extern int pthread_mutex_lock(pthread_mutex_t *);
extern int pthread_mutex_unlock(pthread_mutex_t *);
extern int printf(const char *, ...);
pthread_mutex_t m;
int data;
void *w(void *p) { pthread_mutex_lock(&m); data = data + 1; pthread_mutex_unlock(&m); return p; }
int main(void) {
  pthread_t a;
  pthread_create(&a, 0, w, 0);
  LOCK data = data * 3; UNLOCK
  pthread_join(a, 0);
  printf("%d", data);
  return 0;
}
"""


def test_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """From an SV-COMP task to its verdict; the race is replayed, and its evidence checked."""
    monkeypatch.chdir(tmp_path)
    racy = TASK.replace("UNLOCK", "").replace("LOCK", "")
    locked = TASK.replace("UNLOCK", "pthread_mutex_unlock(&m);").replace("LOCK", "pthread_mutex_lock(&m);")
    assert main(["check", "--task", str(task(tmp_path, "ILP32", locked)), "--engines", "explore"]) == Exit.RACE_FREE
    assert capsys.readouterr().out.splitlines()[-1] == "true"
    assert main(["check", "--task", str(task(tmp_path, "ILP32", racy)), "--json", "report.json"]) == Exit.RACE
    assert capsys.readouterr().out.splitlines()[-1] == "false(no-data-race)"
    report = json.loads(Path("report.json").read_text(encoding="utf-8"))
    assert report["sources"]["data_model"] == "ILP32"
    assert main(["replay", "report.json"]) == Exit.RACE
    assert "data race on data" in capsys.readouterr().out
    assert main(["check-evidence", "report.json"]) == Exit.RACE_FREE
    assert "0 rejected, 0 not confirmed, 0 not checked" in capsys.readouterr().out


def test_a_witness_of_bmc_is_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = """
    unsigned long __VERIFIER_nondet_ulong(void);
    static int x; static unsigned long n;
    static void *w(void *p) { if (n > 3000000000u && n < 3000000002u && n * 2 < n) x++; return p; }
    int main(void) { n = __VERIFIER_nondet_ulong(); RUN(w, w); return 0; }
    """
    load_text(text, tmp_path)
    for model, status in (("ILP32", Exit.RACE), ("LP64", Exit.RACE_FREE)):
        command = ["check", "program.c", "--data-model", model, "--engines", "bmc", "--json", f"{model}.json"]
        assert main(command) == status
    [race, *_] = [p for p in json.loads(Path("ILP32.json").read_text())["pairs"] if p["verdict"] == "race"]
    assert race["engine"] == "bmc"


def test_a_refusal_is_no_answer(tmp_path: Path) -> None:
    """An engine that cannot run the program says why, and proves nothing."""
    subject: Subject = load_text(BY_SIZE, tmp_path, "-m32")
    program = replace(subject.cp.program, pointer_size=2)
    with pytest.raises(Unsupported, match="16 bits"):
        search(replace(subject, cp=replace(subject.cp, program=program)))
