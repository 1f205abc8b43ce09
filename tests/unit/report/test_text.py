from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from unit.handmade import COUNTER, PAIRS, RUN, access_result, check_result, pair_result, race_result

from raceproof.core import SourcePos
from raceproof.model import (
    AccessKind,
    AccessResult,
    Assumption,
    CheckResult,
    EngineReport,
    GivenInput,
    IncidentResult,
    InputKind,
    ObjectId,
    ProgramInput,
    Scope,
    Verdict,
)
from raceproof.report import Detail, write_text

SOURCE = """\
#include <pthread.h>
int counter;
\tvoid *worker(void *unused) {
\t\tcounter++; /* line 4 */
    return unused; }
int main(void) { return counter; }
"""


def text(result: CheckResult, color: bool = False, detail: Detail = Detail.NORMAL, saved_as: str | None = None) -> str:
    stream = io.StringIO()
    write_text(result, stream, color, saved_as, detail)
    return stream.getvalue()


def verbose(result: CheckResult) -> str:
    return text(result, detail=Detail.VERBOSE)


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("demo.c").write_text(SOURCE, encoding="utf-8")
    return "demo.c"


def test_race_free() -> None:
    result = check_result(pair_result(1, Verdict.RACE_FREE, evidence=("common-lock mutex",)))
    output = text(result)
    assert output.startswith(
        "verdict: race-free for all inputs\n  1 pair of accesses at 1 location, by common-lock (1)\n"
    )
    assert output.endswith("\n\n1 of 1 location proved; 1.50 s\n")
    assert "possible" not in output
    assert "counter       1  common-lock mutex" in verbose(result)


def test_race_free_without_any_pair_says_why() -> None:
    result = replace(check_result(), reason="no location is shared between threads while one writes")
    assert text(result).splitlines()[:2] == [
        "verdict: race-free for all inputs",
        "  no location is shared between threads while one writes",
    ]


def test_an_open_pair_is_shown_with_its_lines(source: str) -> None:
    first = access_result(4, column=3, file=source, held=("mutex", "table (shared)"))
    second = access_result(6, AccessKind.READ, "main thread", column=25, file=source)
    lines = text(check_result(pair_result(first=first, second=second))).splitlines()
    assert lines == [
        "verdict: unknown",
        "  1 of 1 pairs of accesses not decided",
        "",
        "possible race: counter",
        f"  {source}:4:3:",
        "    write in `worker` by thread `worker`, created at demo.c:20 (several at once)",
        "      4 |         counter++; /* line 4 */",
        "        |         ^ holding mutex, table (shared)",
        f"  {source}:6:25: read in `worker` by the main thread",
        "      6 | int main(void) { return counter; }",
        "        |                         ^ holding no lock",
        "  not proved: no common lock, and nothing orders the two",
        "  what would help: the program was not executed: let the explorer run it,",
        "    --engines lockset,explore.",
        "",
        "1 open, 0 of 1 location proved; 1.50 s",
    ]


def test_an_access_against_itself_is_shown_once(source: str) -> None:
    access = access_result(4, column=3, file=source)
    output = text(check_result(pair_result(first=access, second=access)))
    assert output.count("counter++") == 1
    assert "  and the same in another instance of the thread\n" in output


def test_the_same_access_in_two_threads_names_both(source: str) -> None:
    access = access_result(4, column=3, file=source)
    output = text(check_result(pair_result(first=access, second=replace(access, thread="main thread"))))
    assert output.count("counter++") == 1
    assert "by thread `worker`" in output
    assert "by the main thread" in output


def test_a_race_is_shown_as_it_was_executed(source: str) -> None:
    access = replace(access_result(4, column=3, file=source), thread="thread 1 `worker`, created at demo.c:20")
    result = check_result(pair_result(1, Verdict.RACE, first=access), pair_result(2))
    lines = text(result).splitlines()
    assert lines[:4] == [
        "verdict: race at 1 location",
        "",
        "race: counter",
        "  fix: hold one lock around both accesses, or make it _Atomic, or let one thread",
    ]
    assert "  demo.c:4:3: write in `worker` by thread 1 `worker`, created at demo.c:20" in lines
    start = next(i for i, line in enumerate(lines) if line.startswith("  how: "))
    assert lines[start : start + 2] == [
        "  how: schedule: 0 to step 4, 1 to step 2, 2 to step 1; then both stand before",
        "    their accesses",
    ]
    assert "  1 more pair of accesses here not decided" in lines
    assert lines[-1] == "1 location with a race, 0 of 1 location proved; 1.50 s"


def test_a_race_in_full(source: str) -> None:
    lines = verbose(check_result(pair_result(1, Verdict.RACE))).splitlines()
    start = lines.index("  Executed and repeated, both threads standing before their accesses:")
    assert lines[start + 1 : start + 4] == [
        "    thread 1 `worker`, created at demo.c:20 by thread 0",
        "    thread 2 `worker`, created at demo.c:20 by thread 0",
        "    schedule: 0 to step 4, 1 to step 2, 2 to step 1",
    ]


def test_the_command_that_repeats_a_race() -> None:
    result = check_result(pair_result(1, Verdict.RACE))
    assert "replay: raceproof replay out.json --race 1\n" in text(result, saved_as="out.json")
    assert "replay: raceproof replay REPORT.json --race 1 (write it by --json" in text(result)


def test_only_violations_for_a_quiet_reader() -> None:
    result = check_result(pair_result(1, Verdict.RACE, target="surely"), pair_result(2, target="maybe"))
    output = text(result, detail=Detail.QUIET)
    assert output.startswith("\nrace: surely\n")
    assert "maybe" not in output
    assert text(check_result(pair_result(1)), detail=Detail.QUIET) == ""


def test_a_race_in_which_the_two_never_meet() -> None:
    result = check_result(replace(pair_result(1, Verdict.RACE), race=race_result(together=False)))
    assert "nothing orders the two accesses there\n" in text(result).replace("\n    ", " ")
    assert "one access after the other, and nothing orders the two:" in verbose(result).replace("\n    ", " ")


def test_other_findings_are_shown(source: str) -> None:
    position = SourcePos(source, 4, 3)
    other = IncidentResult(1, "deadlock", "all wait", position, "worker", 2, RUN, race_result().threads)
    output = text(replace(check_result(pair_result(1, Verdict.RACE_FREE)), other=(other,) * 7))
    assert "Also found: deadlock in `worker`, demo.c:4:3\n" in output
    assert "  all wait\n  by thread 2 in this run:\n" in output
    assert "… and 2 more, see --json" in output


def test_the_search_is_summed_up() -> None:
    stats = {"algorithm": "race", "complete": True, "executions": 1234, "executions_per_second": 45000.0}
    note = "a child process for each execution: it calls `fopen`"
    engine = EngineReport("explore", 0.5, 1, 0, 0, stats, notes=(note,))
    result = replace(check_result(), engines=(engine,))
    assert text(result).splitlines()[-1] == "1,234 executions; 1.50 s"
    lines = verbose(result).splitlines()
    assert "explore: 1,234 executions by race, all schedules; 45,000 a second" in lines
    assert f"explore: {note}" in lines


def test_a_long_schedule_is_cut() -> None:
    run = replace(RUN, turns=tuple((i % 2, i) for i in range(100)), inputs=(7, -1))
    race = replace(race_result(), schedule=replace(race_result().schedule, run=run))
    output = verbose(check_result(replace(pair_result(1, Verdict.RACE), race=race))).replace("\n      ", " ")
    assert "1 to step 5, … 88 more …, 0 to step 94" in output
    assert "inputs: 7, -1" in output


def test_a_missing_file_is_no_problem() -> None:
    output = text(check_result(pair_result(first=access_result(file="/nonexistent/gone.c"))))
    assert "  /nonexistent/gone.c:10:5:\n    write in `worker` by thread" in output


def test_a_position_beyond_the_file_is_no_problem(source: str) -> None:
    output = text(check_result(pair_result(first=access_result(4000, file=source))))
    assert f"  {source}:4000:5:\n    write in `worker` by thread" in output


def test_an_access_without_position() -> None:
    access = AccessResult(None, "worker", AccessKind.READ, "main thread", True, ())
    assert "  code without a line: atomic read in `worker` by the main thread\n" in text(
        check_result(pair_result(first=access))
    )


def test_a_source_line_cannot_steer_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "evil.c"
    path.write_bytes(b"x = 1; // \x1b[2J\x07\xff\n")
    output = text(check_result(pair_result(first=access_result(1, column=1, file=str(path)))))
    assert "\x1b" not in output
    assert "\x07" not in output
    assert "x = 1; // ?[2J?" in output


def test_a_long_line_is_cut_around_the_column(tmp_path: Path) -> None:
    path = tmp_path / "long.c"
    path.write_text("a" * 300 + "HERE" + "b" * 300 + "\n", encoding="utf-8")
    lines = text(check_result(pair_result(first=access_result(1, column=301, file=str(path))))).splitlines()
    code = next(line for line in lines if "HERE" in line)
    caret = lines[lines.index(code) + 1]
    assert len(code) <= 80
    assert code[caret.index("^")] == "H"


def test_pairs_on_the_same_lines_are_shown_as_one_with_two_writes_first() -> None:
    write = access_result(10)
    read = access_result(10, AccessKind.READ)
    output = text(
        check_result(
            pair_result(1, Verdict.RACE, first=read, second=write),
            pair_result(2, Verdict.RACE, first=write, second=write),
        )
    )
    assert "--race 2" in output
    assert "--race 1" not in output


def test_of_an_open_location_one_pair_is_shown_and_the_other_accesses_in_brief() -> None:
    pairs = [pair_result(i, first=access_result(10 + i)) for i in range(1, 9)]
    output = text(check_result(*pairs))
    assert output.count("not proved:") == 1
    assert "  Other accesses:\n    write at demo.c:11, demo.c:12, demo.c:13, demo.c:14 and 4 more, by" in output


def test_many_races_at_a_location_are_cut() -> None:
    pairs = [pair_result(i, Verdict.RACE, first=access_result(10 + i)) for i in range(1, 9)]
    output = text(check_result(*pairs))
    assert output.count("how: ") == 1
    assert output.count("  also: write at demo.c:1") == 3
    assert "  … and 4 more races here, see -v" in output
    assert verbose(check_result(*pairs)).count("  also: write at demo.c:1") == 7


def test_many_locations_are_listed_in_brief() -> None:
    pairs = [pair_result(i, target=f"x{i}") for i in range(1, 60)] + [pair_result(60, target="x21")]
    output = text(check_result(*pairs))
    assert output.count("possible race: ") == 20
    assert output.count("  Other accesses:") <= 3
    assert "possible race: x4\n  write at demo.c:10, by thread" in output
    assert "Possible races also at 39 locations:\n" in output
    assert "  x21: write at demo.c:10, read at demo.c:22, 1 more pair\n" in output
    assert "  x50: write at demo.c:10, read at demo.c:22\n" in output
    assert "… and 9 more locations, see --json" in output


def test_the_lock_that_most_accesses_hold_is_the_advice() -> None:
    reads = [access_result(line, AccessKind.READ, held=("mutex",)) for line in (30, 31)]
    pairs = [pair_result(i, first=access_result(10), second=read) for i, read in enumerate(reads, start=1)]
    output = text(check_result(*pairs))
    assert "what would help: hold mutex at demo.c:10, as 2 of the 3 accesses do\n" in output


def test_a_long_path_has_a_line_of_its_own() -> None:
    path = "/a" * 30 + "/long.c"
    output = text(check_result(pair_result(first=access_result(file=path))))
    assert f"\n  {path}:10:5:\n    write in `worker` by" in output


def test_locations_of_the_same_name_stay_apart() -> None:
    other = replace(pair_result(2), pair=replace(PAIRS[0], target=replace(COUNTER, object=ObjectId(9))))
    assert text(check_result(pair_result(1), other)).count("possible race: counter\n") == 2


def test_races_come_before_possible_races() -> None:
    output = text(check_result(pair_result(1, target="maybe"), pair_result(2, Verdict.RACE, target="surely")))
    assert output.startswith("verdict: race at 1 location\n")
    assert output.index("\nrace: surely") < output.index("\npossible race: maybe")


def test_proofs_are_counted_per_rule_and_location() -> None:
    pairs = [
        pair_result(1, Verdict.RACE_FREE, evidence=("common-lock mutex",)),
        pair_result(2, Verdict.RACE_FREE, evidence=("common-lock mutex", "ordered joined at demo.c:20")),
        pair_result(3, Verdict.RACE_FREE, target="ready", evidence=("both-atomic",)),
    ]
    extent = "  3 pairs of accesses at 2 locations, by common-lock (2), ordered (1),\n    both-atomic (1)\n"
    assert extent in text(check_result(*pairs))
    output = verbose(check_result(*pairs))
    assert extent in output
    assert "  counter       2  common-lock mutex; ordered: joined at demo.c:20\n" in output
    assert "  ready         1  both-atomic\n" in output


def test_assumptions_come_with_their_place() -> None:
    result = replace(
        check_result(),
        assumptions=(Assumption("`qsort` calls only its comparison", SourcePos("demo.c", 7, 3)), Assumption("x" * 20)),
    )
    assert "Assumptions\n  - `qsort` calls only its comparison (demo.c:7)\n  - xxxx" in text(result)


def test_everything_fits_80_columns() -> None:
    words = "the lock that protects this location elsewhere is not held here, and so on and on " * 3
    pairs = [
        pair_result(i, target=f"registry.entries[].statistics.counter_{i}", evidence=(words,), first=access_result(i))
        for i in range(1, 30)
    ]
    pairs += [
        pair_result(
            i,
            Verdict.RACE_FREE,
            target=f"registry.entries[].statistics.total_number_of_visits_{i}",
            evidence=("common-lock registry.entries[].statistics.lock_of_the_whole_entry",) * 3,
        )
        for i in range(30, 60)
    ]
    result = replace(check_result(*pairs), assumptions=(Assumption(words),))
    for detail in Detail:
        assert [line for line in text(result, detail=detail).splitlines() if len(line) > 80] == []


def test_color_only_when_asked() -> None:
    result = check_result(pair_result(1), pair_result(2, Verdict.RACE_FREE))
    plain = text(result)
    colored = text(result, color=True)
    assert "\x1b" not in plain
    assert "\x1b[1;33munknown\x1b[0m" in colored


@pytest.mark.parametrize(
    ("scope", "words"),
    [(Scope.ANY_THREADS, "any number of threads"), (Scope.THIS_INPUT, "for the given input")],
)
def test_the_scope_is_in_words(scope: Scope, words: str) -> None:
    read = ProgramInput(InputKind.CLOCK, "time", None)
    given = GivenInput((), "", (), (read,), is_accepted=True)
    assert words in text(replace(check_result(), scope=scope, input=given)).splitlines()[0]


def test_a_program_without_input_has_one_only() -> None:
    result = replace(check_result(), scope=Scope.THIS_INPUT, input=GivenInput((), "", (), ()))
    assert text(result).splitlines()[0] == "verdict: race-free for its only input"


def test_what_holds_for_one_input_only_is_said_in_the_first_line() -> None:
    pair = replace(pair_result(1), scope=Scope.THIS_INPUT)
    reason = "no race with this input (arguments: none; standard input: empty)"
    lines = text(replace(check_result(pair), reason=reason)).splitlines()
    assert lines[:2] == ["verdict: unknown: no race with this input", "  (arguments: none; standard input: empty)"]
    assert any("--accept this-input" in line for line in lines)
    assert "No race with this input at 1 location:" in lines
    assert not any("possible race" in line for line in lines)
    assert lines[-1] == "1 for this input only, 0 of 1 location proved; 1.50 s"
