"""Threads that a program creates by a raw system call are seen by nobody: such a program is not race-free."""

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
