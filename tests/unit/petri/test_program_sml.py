"""C programs written in the language of the paper: its figures, and round trips that keep the verdict."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from unit.cli.commands import run_command
from unit.petri.c_programs import PREAMBLE, analysed
from unit.petri.test_command import written
from unit.petri.test_sml_syntax import EXAMPLES, FIGURE_2, shape

from raceproof.cli import petri as command
from raceproof.cli.status import Exit
from raceproof.core import Budget, InputError
from raceproof.petri.net import Safe, Unsafe
from raceproof.petri.program_net import program_net
from raceproof.petri.program_sml import write_program_sml
from raceproof.petri.sml_format import format_sml, structured
from raceproof.petri.sml_net import net_of_sml
from raceproof.petri.sml_syntax import Label, Program, parse_sml, statements_of
from raceproof.petri.solver import solve

FIGURE_1_C = """int counter; pthread_mutex_t L = MUTEX;
void *worker(void *p) { lock(&L); counter++; unlock(&L); return 0; }
int main(void) { MANY(worker) return 0; }
"""
FIGURE_2_C = """int buffer; pthread_mutex_t L = MUTEX;
pthread_cond_t cvEmpty = PTHREAD_COND_INITIALIZER, cvFull = PTHREAD_COND_INITIALIZER;
void *producer(void *p) {
    lock(&L);
    while (ANY) {
        pthread_cond_wait(&cvEmpty, &L);
        buffer = ANY;
        pthread_cond_signal(&cvFull);
    }
    unlock(&L);
    return 0;
}
void *consumer(void *p) {
    lock(&L);
    while (ANY) {
        pthread_cond_wait(&cvFull, &L);
        int val = buffer;
        pthread_cond_signal(&cvEmpty);
    }
    unlock(&L);
    return 0;
}
int main(void) { MANY(producer) MANY(consumer) return 0; }
"""
FIGURE_5_C = """int data; pthread_mutex_t L = MUTEX;
void *a(void *p) { lock(&L); data++; unlock(&L); return 0; }
void *b(void *p) { LOCK if (data > 0) { /*do this*/ } else { /*do that*/ } UNLOCK return 0; }
int main(void) { MANY(a) MANY(b) return 0; }
"""


def emitted(text: str, directory: Path) -> str:
    program = analysed(text, directory)
    return write_program_sml(program.cp, program.pairs, Budget.seconds(60))


def job_of(text: str, name: str) -> str:
    """The body of a job."""
    return text.split(f"job {name} {{\n")[1].split("\n}\n")[0]


def round_trip(text: str, directory: Path) -> tuple[bool, bool]:
    """Are the net of the C program and the net of what is written of it safe?"""
    program = analysed(text, directory)
    assert program.pairs
    written_text = write_program_sml(program.cp, program.pairs, Budget.seconds(60))
    nets = (
        program_net(program.cp, program.pairs, Budget.seconds(60)).net,
        net_of_sml(parse_sml(written_text, "program.sml")).net,
    )
    answers = [solve(net, Budget.seconds(30)) for net in nets]
    assert all(isinstance(answer, Safe | Unsafe) for answer in answers)
    return isinstance(answers[0], Safe), isinstance(answers[1], Safe)


def test_figure_1_is_written_as_printed(tmp_path: Path) -> None:
    text = emitted(FIGURE_1_C, tmp_path)
    assert job_of(text, "worker").split("\n") == [
        "    acquire L;",
        "    read counter;",
        "    write counter;",
        "    release L;",
    ]
    assert text.startswith("shared counter;\nlock L;\n")
    assert text.endswith("\nstart main;\n")


def test_figure_2_is_written_as_printed(tmp_path: Path) -> None:
    text = emitted(FIGURE_2_C, tmp_path)
    ours, figure = parse_sml(text, "a.sml"), parse_sml(FIGURE_2, "figure_2.sml")
    jobs = {job.name.text: job.body for job in ours.jobs}
    assert shape(ours)[:3] == shape(figure)[:3]
    for name, job in zip(("producer", "consumer"), figure.jobs, strict=True):
        assert [str(s) for s in statements_of(jobs[name]) if hasattr(s, "op")] == [
            str(s) for s in statements_of(job.body) if hasattr(s, "op")
        ]
        assert job_of(text, name).split("\n")[1] == "    while (*) {"


@pytest.mark.parametrize(("lock", "unlock", "safe"), [("lock(&L);", "unlock(&L);", True), ("", "", False)])
def test_figure_5_round_trip(lock: str, unlock: str, safe: bool, tmp_path: Path) -> None:
    text = FIGURE_5_C.replace("UNLOCK", unlock).replace("LOCK", lock)
    assert round_trip(text, tmp_path) == (safe, safe)


_WORKER = "void *f(void *p) { BODY return 0; } int main(void) { MANY(f) return 0; }"
_X = "int x; pthread_mutex_t m = MUTEX; pthread_cond_t c; pthread_rwlock_t rw; sem_t s; pthread_barrier_t b;\n"
_COUNTING = "void *f(void *p) { x++; return 0; }\n"
PROGRAMS = {
    "figure 1": (FIGURE_1_C, True),
    "figure 2": (FIGURE_2_C, True),
    "no lock": (_X + _WORKER.replace("BODY", "x++;"), False),
    "recursion": (
        _X + "void g(int n) { if (n) g(n - 1); lock(&m); x++; unlock(&m); }\n" + _WORKER.replace("BODY", "g(3);"),
        True),
    "try": (_X + _WORKER.replace("BODY", "if (!pthread_mutex_trylock(&m)) { x++; unlock(&m); }"), True),
    "try and go on": (_X + _WORKER.replace("BODY", "pthread_mutex_trylock(&m); x++; unlock(&m);"), False),
    "join": (_X + _COUNTING + "int main(void) { pthread_t t; create(t, f); join(t); return x; }", True),
    "no join": (_X + _COUNTING + "int main(void) { pthread_t t; create(t, f); return x; }", False),
    "two joins": (
        _X + "void *f(void *p) { lock(&m); x++; unlock(&m); return 0; }\n"
        "int main(void) { pthread_t t, u; create(t, f); create(u, f); join(t); join(u); return x; }", True),
    "one of two joins": (
        _X + "void *f(void *p) { lock(&m); x++; unlock(&m); return 0; }\n"
        "int main(void) { pthread_t t, u; create(t, f); create(u, f); join(t); return x; }", False),
    "readers and writers": (
        _X + "void *f(void *p) { pthread_rwlock_wrlock(&rw); x++; pthread_rwlock_unlock(&rw); return 0; }\n"
        "void *g(void *p) { pthread_rwlock_rdlock(&rw); int v = x; pthread_rwlock_unlock(&rw); return 0; }\n"
        "int main(void) { MANY(f) MANY(g) return 0; }", True),
    "a reader that writes": (
        _X + "void *g(void *p) { pthread_rwlock_rdlock(&rw); x++; pthread_rwlock_unlock(&rw); return 0; }\n"
        "int main(void) { MANY(g) return 0; }", False),
    "semaphore": (
        _X + "void *f(void *p) { x++; sem_post(&s); return 0; }\n"
        "int main(void) { pthread_t t; sem_init(&s, 0, 0); create(t, f); sem_wait(&s); return x; }", True),
    "semaphore of one": (
        _X + "void *f(void *p) { x++; sem_post(&s); return 0; }\n"
        "int main(void) { pthread_t t; sem_init(&s, 0, 1); create(t, f); sem_wait(&s); return x; }", False),
    "barrier": (
        _X + "void *f(void *p) { x++; pthread_barrier_wait(&b); return 0; }\n"
        "int main(void) { pthread_t t; pthread_barrier_init(&b, 0, 2); create(t, f);\n"
        "  pthread_barrier_wait(&b); return x; }", True),
    "wait gives the lock back": (
        _X + "void *f(void *p) { lock(&m); x = 1; pthread_cond_wait(&c, &m); x = 2; unlock(&m); return 0; }\n"
        "void *g(void *p) { lock(&m); x = 3; pthread_cond_broadcast(&c); unlock(&m); return 0; }\n"
        "int main(void) { MANY(f) MANY(g) return 0; }", True),
    "atomic and plain": (
        "atomic_int a; void *f(void *p) { a = 1; return 0; }\n"
        "int main(void) { pthread_t t, u; create(t, f); create(u, f); join(t); join(u); return *(int *)&a; }", True),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_round_trip(name: str, tmp_path: Path) -> None:
    """Written and read again, the program has the verdict of its net."""
    text, safe = PROGRAMS[name]
    assert round_trip(text, tmp_path) == (safe, safe)


def test_large_numbers_are_any_number(tmp_path: Path) -> None:
    text = PROGRAMS["semaphore of one"][0].replace("&s, 0, 1", "&s, 0, 2147483647")
    assert round_trip(text, tmp_path) == (False, False)
    written_text = emitted(text, tmp_path)
    assert len(written_text) < 1000
    assert "// 2147483647 tokens of s are any number of tokens here" in written_text


def test_signals_of_unknown_conditions_are_signals_of_each(tmp_path: Path) -> None:
    text = (
        _X
        + """pthread_cond_t d;
        void *f(void *p) { lock(&m); pthread_cond_wait(&c, &m); x++; unlock(&m); return 0; }
        void *g(void *p) { lock(&m); pthread_cond_wait(&d, &m); x++; unlock(&m); return 0; }
        int main(void) { pthread_t t, u; create(t, f); create(u, g); pthread_cond_signal(ANY ? &c : &d); return 0; }"""
    )
    main = job_of(emitted(text, tmp_path), "main")
    assert "signal c;" in main
    assert "signal d;" in main


def test_timed_waits_need_no_signal(tmp_path: Path) -> None:
    text = _X + _WORKER.replace(
        "BODY", "struct timespec t = {0}; lock(&m); pthread_cond_timedwait(&c, &m, &t); x++; unlock(&m);"
    )
    worker = [line.strip() for line in job_of(emitted(text, tmp_path), "f").split("\n")]
    assert worker[:3] == ["acquire m;", "release m;", "acquire m;"]
    assert not any(line.startswith("wait") for line in worker)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.sml")), ids=lambda path: path.stem)
def test_what_is_formatted_is_read_back(path: Path) -> None:
    program = parse_sml(path.read_text(encoding="utf-8"), path.name)
    assert shape(parse_sml(format_sml(program), path.name)) == shape(program)


@pytest.mark.parametrize(
    ("jumps", "blocks"),
    [
        ("t: branch e; read x; goto t; e: write x;", "while (*) { read x; } write x;"),
        ("branch e; read x; e: write x;", "if (*) { read x; } write x;"),
        ("branch e; read x; goto j; e: write x; j: skip;", "if (*) { read x; } else { write x; } skip;"),
        ("t: branch e; branch t; read x; goto t; e:", "while (*) { if (*) { read x; } }"),
        ("t: branch e; branch i; skip; i: read x; goto t; e:", "while (*) { if (*) { skip; } read x; }"),
        ("t: read x; branch t;", "t: read x; branch t;"),
        ("branch e; read x; e: write x; goto e;", "if (*) { read x; } e: write x; goto e;"),
    ],
)
def test_jumps_become_blocks(jumps: str, blocks: str) -> None:
    found, expected = (parse_sml(f"shared x; job T {{ {text} }} start T;", "a.sml") for text in (jumps, blocks))
    assert shape(parse_sml(_with_body(found), "a.sml")) == shape(expected)
    assert any(isinstance(s, Label) for s in statements_of(found.jobs[0].body)) or ":" not in jumps


def _with_body(program: Program) -> str:
    job = program.jobs[0]
    return format_sml(replace(program, jobs=(replace(job, body=structured(job.body)),)))


def test_the_command_writes_the_program_and_keeps_its_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "p.c"
    path.write_text(PREAMBLE + FIGURE_1_C, encoding="utf-8")
    assert run_command(command.add_parser, "petri", str(path), "--emit", "sml") is Exit.RACE_FREE
    text = capsys.readouterr().out
    assert shape(parse_sml(text, "a.sml"))[:2] == (["counter"], ["L"])
    path.write_text(PREAMBLE + FIGURE_1_C.replace("lock(&L);", "").replace("un", ""), encoding="utf-8")
    assert run_command(command.add_parser, "petri", str(path), "--emit", "sml") is Exit.RACE
    assert "acquire" not in capsys.readouterr().out
    assert written(tmp_path, "p.sml", text)[0] is Exit.RACE_FREE


def test_the_command_makes_whole_programs_of_fragments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert written(tmp_path, "p.sml", FIGURE_2, "--emit", "sml")[0] is Exit.RACE_FREE
    whole = parse_sml(capsys.readouterr().out, "a.sml")
    assert not whole.is_fragment
    assert shape(whole) == shape(parse_sml(FIGURE_2, "a.sml"))


def test_nets_are_not_programs(tmp_path: Path) -> None:
    (tmp_path / "p.spec").write_text("vars a\nrules\ninit a = 0\ntarget a >= 1\n", encoding="utf-8")
    with pytest.raises(InputError, match="is a net, not a program"):
        run_command(command.add_parser, "petri", str(tmp_path / "p.spec"), "--emit", "sml")


def test_nothing_is_written_without_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.c").write_text(PREAMBLE + FIGURE_1_C, encoding="utf-8")
    status = run_command(
        command.add_parser, "petri", str(tmp_path / "p.c"), "--emit", "sml", "--time-limit", "0.000001"
    )
    assert status is Exit.UNKNOWN
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "no program is written" in captured.err
