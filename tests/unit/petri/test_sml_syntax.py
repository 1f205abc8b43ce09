"""The parser of the Simple Multithreaded Language: trees, and errors with a position."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from raceproof.core import InputError
from raceproof.petri.sml_syntax import (
    MAX_NESTING,
    MAX_STARTED,
    Action,
    Block,
    If,
    Label,
    Op,
    Program,
    Start,
    While,
    parse_sml,
)

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "sml"


def parse(text: str) -> Program:
    return parse_sml(text, "a.sml")


def error_of(text: str) -> str:
    with pytest.raises(InputError) as raised:
        parse(text)
    return str(raised.value)


def test_declarations_may_follow_their_use() -> None:
    program = parse("start W *; start Main; job W { read x; } job Main { create W; } shared x, y; lock L; cond c;")
    assert [name.text for name in program.shared] == ["x", "y"]
    assert [name.text for name in (*program.locks, *program.conditions)] == ["L", "c"]
    assert [(start.job.text, start.count) for start in program.starts] == [("W", None), ("Main", 1)]


def test_every_statement() -> None:
    body = """top: read x; write x; acquire L; release L; wait c, L; signal c; broadcast c; create T; join T;
        if (*) { skip; } else if (*) { goto top; } else { } while (*) { branch top; } last:"""
    program = parse(f"shared x; lock L; cond c; job T {{ {body} }} start T 12;")
    statements = program.jobs[0].body
    ops = [statement.op for statement in statements if isinstance(statement, Action)]
    assert ops == [
        Op.READ, Op.WRITE, Op.ACQUIRE, Op.RELEASE, Op.WAIT, Op.SIGNAL, Op.BROADCAST, Op.CREATE, Op.JOIN,
    ]  # fmt: skip
    assert [str(statement) for statement in statements if isinstance(statement, Action)][4] == "wait c, L"
    assert isinstance(statements[0], Label)
    choice, loop = statements[-3], statements[-2]
    assert isinstance(choice, If)
    assert isinstance(choice.otherwise[0], If)
    assert isinstance(loop, While)
    assert program.starts[0].count == 12


def test_positions_count_comments_and_lines() -> None:
    program = parse("/* two\n lines */ shared x; // rest\njob T {\n\n  /* a */ write x;\n}\nstart T;")
    write = program.jobs[0].body[0]
    assert isinstance(write, Action)
    assert (write.pos.line, write.pos.column) == (5, 11)
    assert (program.shared[0].pos.line, program.shared[0].pos.column) == (2, 18)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_ends_of_lines(end: str) -> None:
    program = parse(f"shared x;{end}job T {{{end}    write x;{end}}}{end}start T;{end}")
    write = program.jobs[0].body[0]
    assert isinstance(write, Action)
    assert (write.pos.line, write.pos.column) == (3, 5)


def test_numbers() -> None:
    assert parse(f"job T {{ }} start T {MAX_STARTED};").starts[0].count == MAX_STARTED
    assert parse("job T { } start T 007;").starts == (Start(parse("job T { } start T 007;").starts[0].job, 7),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a.sml:1:1: expected `start` and the name of a job: nothing runs yet, not the end of the file"),
        ("shared x", "a.sml:1:9: expected `;` or `,`, not the end of the file"),
        ("shared x y;", "a.sml:1:10: expected `;` or `,`, not `y`"),
        ("shared 7;", "a.sml:1:8: expected the name of a shared variable, not `7`"),
        ("lock read;", "a.sml:1:6: expected the name of a lock, but `read` is a keyword"),
        ("int x;", "a.sml:1:1: expected `shared`, `lock`, `cond`, `local`, `job`, `start` or a statement, not `int`"),
        ("job T { } start T; shared x; lock\n  x;", "a.sml:2:3: `x` is a shared variable already, since line 1"),
        ("shared x; $", "a.sml:1:11: expected a statement or a declaration, not the character '$'"),
        ("shared x; /* never\nends", "a.sml:1:11: this comment has no end: `*/` is missing"),
        ("job T { read x; } start T;", "a.sml:1:14: there is no shared variable `x`"),
        ("lock x; job T { read x; } start T;", "a.sml:1:22: expected a shared variable, but `x` is a lock, see line 1"),
        ("cond c; lock L; job T { wait c; } start T;", "a.sml:1:31: expected `,`, not `;`"),
        ("job T { goto l; } start T;", "a.sml:1:14: there is no label `l` in this job"),
        ("job T { l: } job U { branch l; } start T;", "a.sml:1:29: there is no label `l` in this job"),
        ("job T { l:\nl: } start T;", "a.sml:2:1: `l` is a label already, since line 1"),
        ("job T { l } start T;", "a.sml:1:11: expected `:` after the label `l`, not `}`"),
        ("job T { if (x) { } } start T;", "a.sml:1:13: there is no shared variable `x`"),
        ("job T { if () { } } start T;", "a.sml:1:13: expected a condition and `)`, not `)`"),
        ("job T { if (1 { } } start T;", "a.sml:1:15: expected a condition and `)`, not `{`"),
        ("job T { while ((1) { } } start T;", "a.sml:1:20: expected a condition and `)`, not `{`"),
        ("shared x; job T { if (x++) { } } start T;", "a.sml:1:24: a condition changes nothing: write `++` as a"),
        (
            "shared x; job T { if (x = 1) { } } start T;",
            "a.sml:1:25: expected a statement or a declaration, not the char",
        ),
        (
            "lock L; job T { if (L) { } } start T;",
            "a.sml:1:21: expected a shared variable, but `L` is a lock, see line",
        ),
        ("local x; job T { read x; } start T;", "a.sml:1:23: expected a shared variable, but `x` is a local variable"),
        ("local x; shared x; job T { } start T;", "a.sml:1:7: `x` is a shared variable already, since line 1"),
        ("shared x; read x;\njob T { }", "a.sml:1:11: this statement is in no job, others are: put all of them into"),
        (
            "shared x; job T { read x; acquire x; } start T;",
            "a.sml:1:35: expected a lock, but `x` is a shared variable",
        ),
        (
            "shared x; read x; }",
            "a.sml:1:19: expected `shared`, `lock`, `cond`, `local`, `job`, `start` or a statement",
        ),
        ("job T { if (*) skip; } start T;", "a.sml:1:16: expected `{`, not `skip`"),
        ("job T { else { } } start T;", "a.sml:1:9: expected a statement or `}`, not `else`"),
        ("job T {", "a.sml:1:8: expected a statement or `}`, not the end of the file"),
        ("job T { create U; } start T;", "a.sml:1:16: there is no job `U`"),
        ("start T;", "a.sml:1:7: there is no job `T`"),
        ("job T { } start T 0;", "a.sml:1:19: expected a number from 1 to 1000000 (`*` is any number), not `0`"),
        ("job T { } start T -1;", "a.sml:1:19: expected `;`, `*` or a number, not `-`"),
        ("job T { } start T x;", "a.sml:1:19: expected `;`, `*` or a number, not `x`"),
        ("job T { } start T;\nstart T *;", "a.sml:2:7: line 1 starts `T` already: say there how many"),
    ],
)
def test_errors_name_the_place_and_what_was_expected(text: str, message: str) -> None:
    assert error_of(text).startswith(message)


def test_huge_numbers_are_refused_without_being_converted() -> None:
    message = error_of(f"job T {{ }} start T {'9' * 100_000};")
    assert "expected a number from 1 to" in message
    assert len(message) < 120


@pytest.mark.parametrize("opening", ["while (*) {", "if (*) {", "if (*) { } else {", "if (*) { } else "])
def test_deep_nesting_is_refused(opening: str) -> None:
    assert f"more than {MAX_NESTING}" in error_of(f"job T {{ {opening * 2_000}")


def test_nesting_that_is_allowed() -> None:
    deep = "while (*) {" * (MAX_NESTING - 1) + "}" * (MAX_NESTING - 1)
    parse(f"job T {{ {deep} {deep} }} start T;")


def test_damaged_programs_are_refused_with_a_position_or_taken() -> None:
    text = "shared x; lock L; cond c; job T { a: acquire L; while (*) { wait c, L; } write x; goto a; } start T *;"
    generator = random.Random(1)
    positions = []
    for _ in range(500):
        at, length = generator.randrange(len(text)), generator.randrange(1, 8)
        patch = generator.choice(["", "}", "{", ";", "x", "*", "\n", "/*", "é", "\0"])
        try:
            parse(text[:at] + patch + text[at + length :])
        except InputError as error:
            positions.append(error.pos)
    assert len(positions) > 300
    assert all(pos is not None and pos.line in (1, 2) and pos.column >= 1 for pos in positions)


FIGURE_1 = """shared counter, L;

acquire L;
read counter;
write counter;
release L;
"""
FIGURE_2 = """shared buffer, L, cvEmpty, cvFull;

//Many Producers
acquire L;
while(true){ /*branch*/
  wait cvEmpty, L;
  write buffer;
  signal cvFull;
}
release L;

//Many Consumers
acquire L;
while(true){ /*branch*/
  wait cvFull, L;
  read buffer;
  signal cvEmpty;
}
release L;
"""


def shape(program: Program) -> tuple[object, ...]:
    """Everything but positions and the names of jobs."""

    def of(block: Block) -> list[object]:
        found: list[object] = []
        for statement in block:
            match statement:
                case Action():
                    found.append(str(statement))
                case Label(name):
                    found.append(f"{name.text}:")
                case If(then, otherwise):
                    found.append(("if", of(then), of(otherwise)))
                case While(body):
                    found.append(("while", of(body)))
        return found

    names = [sorted(name.text for name in group) for group in (program.shared, program.locks, program.conditions)]
    return (*names, [of(job.body) for job in program.jobs], [start.count for start in program.starts])


@pytest.mark.parametrize(("figure", "example"), [(FIGURE_1, "counter_with_lock"), (FIGURE_2, "prods_cons")])
def test_figures_1_and_2_are_read_as_printed(figure: str, example: str) -> None:
    program = parse(figure)
    assert program.is_fragment
    whole = parse((EXAMPLES / f"{example}.sml").read_text(encoding="utf-8"))
    assert not whole.is_fragment
    assert shape(program) == shape(whole)


def test_figure_2_headings_name_the_jobs() -> None:
    program = parse(FIGURE_2)
    assert [job.name.text for job in program.jobs] == ["Producers", "Consumers"]
    assert [(start.job.text, start.count) for start in program.starts] == [("Producers", None), ("Consumers", None)]
    assert (program.jobs[1].name.pos.line, program.jobs[1].name.pos.column) == (12, 8)


def test_headings_count_only_on_their_own_line_outside_of_blocks() -> None:
    inside = (
        "shared x; lock L;\nacquire L;\nwhile (*) {\n// Thread B\nread x;\n}\nwrite x; // Thread safe\nrelease L;\n"
    )
    assert len(parse(inside).jobs) == 1
    headed = "// Thread A\nshared x;\nread x;\r\n  //  Thread B  \r\nwrite x;\n"
    assert [job.name.text for job in parse(headed).jobs] == ["A", "B"]
    assert [job.name.text for job in parse("shared x; read x;\n// Many Bs\nwrite x;").jobs] == ["Thread", "Bs"]
    assert len(parse("// Many Bs\nshared x; job T {\n// Thread A\nread x;\n} start T;").jobs) == 1


def test_section_3_2_conditions_are_reads_and_a_choice() -> None:
    declared = "shared x, y; local i;"
    assert shape(parse(f"{declared} while (x < 10 && (i != y)) {{ write x; }}")) == shape(
        parse("shared x, y; read x; read y; while (*) { write x; read x; read y; }")
    )
    assert shape(parse(f"{declared} if (i) {{ }} else if (x * 2 >= -i) {{ write y; }} else {{ skip; }}")) == shape(
        parse("shared x, y; if (*) { } else { read x; if (*) { write y; } else { skip; } }")
    )
    assert shape(parse("if (false) { skip; } while (1) { } local late; while (late) { }")) == shape(
        parse("if (*) { skip; } while (*) { } while (*) { }")
    )


def test_shared_declares_what_its_use_says() -> None:
    program = parse("shared a, b, c, d; lock L; job T { wait c, b; read a; release L; } start T;")
    names = [[name.text for name in group] for group in (program.shared, program.locks, program.conditions)]
    assert names == [["a", "d"], ["L", "b"], ["c"]]
