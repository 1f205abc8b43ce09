"""Calls that undermine what every engine takes for granted: such a program is not race-free."""

import pytest

import raceproof
from raceproof.model import Verdict

PROGRAM = """
#define _GNU_SOURCE
#include <unistd.h>
#include <sys/syscall.h>
#include <signal.h>
int shared;
int main(int argc, char **argv) {
    if (syscall(%s, 0x100 | SIGCHLD, 0, 0, 0, 0) == 0) { shared = 1; _exit(0); }
    shared = 2;
    return 0;
}
"""


@pytest.mark.parametrize("number", ["SYS_clone", "SYS_clone3", "SYS_vfork", "argc"])
def test_a_system_call_that_may_create_a_thread_leaves_the_program_unknown(number: str) -> None:
    report = raceproof.check(source=PROGRAM % number, engines=["lockset"])
    assert report.verdict is Verdict.UNKNOWN
    assert "raw system call" in str(report.result.reason)


def test_another_system_call_does_not() -> None:
    assert raceproof.check(source=PROGRAM % "SYS_gettid", engines=["lockset"]).verdict is Verdict.RACE_FREE


REMAPPED = """
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
static int *first, *second;
static void *work(void *arg) { *first = 1; return arg; }
int main(void) {
    pthread_t id;
    first = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    second = mremap(first, %s, 4096, MREMAP_MAYMOVE);
    %s
    pthread_create(&id, NULL, work, NULL);
    pthread_join(id, NULL);
    return *second;
}
"""


def test_memory_with_a_second_address_leaves_the_program_unknown() -> None:
    report = raceproof.check(source=REMAPPED % ("0", ""), engines=["lockset"])
    assert report.verdict is Verdict.UNKNOWN
    assert "mremap" in str(report.result.reason)


def test_memory_that_is_moved_does_not() -> None:
    moved = REMAPPED % ("4096", "first = second;")
    assert raceproof.check(source=moved, engines=["lockset"]).verdict is Verdict.RACE_FREE


HOOKED = """
#include <error.h>
#include <pthread.h>
static int said;
static void hook(void) { said++; }
static void *work(void *arg) { error(0, 0, "x"); return arg; }
int main(void) {
    pthread_t id;
    %s
    pthread_create(&id, 0, work, 0);
    int seen = said;
    pthread_join(id, 0);
    return seen;
}
"""


def test_a_function_in_a_variable_of_a_library_leaves_the_program_unknown() -> None:
    report = raceproof.check(source=HOOKED % "error_print_progname = hook;", engines=["lockset"])
    assert report.verdict is Verdict.UNKNOWN
    assert "`hook`, which a library may call" in str(report.result.reason)


def test_a_function_that_is_not_there_does_not() -> None:
    assert raceproof.check(source=HOOKED % "hook();", engines=["lockset"]).verdict is Verdict.RACE_FREE


LASTING = """
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
static atomic_int done;
static int slot, sum;
static void *work(void *arg) {
    slot = 1;
    atomic_fetch_add(&done, 1);
    return arg;
}
int main(void) {
    pthread_t id;
    %s
    pthread_create(&id, 0, work, 0);
    if (atomic_load(&done) == 1) sum = slot;
    pthread_join(id, 0);
    return 0;
}
"""


@pytest.mark.parametrize("call", ['mkdir("/nowhere/at/all", 0700);', ""])
def test_what_executions_leave_in_the_file_system_bounds_the_search(call: str) -> None:
    report = raceproof.check(source=LASTING % call, engines=["explore"], accept="this-input")
    assert (report.verdict is Verdict.RACE_FREE) == (not call)
