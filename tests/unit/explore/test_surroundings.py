"""Programs that are run as they are used: with input, clients, libraries, files and children of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from raceproof.cli.command_line import main
from raceproof.explore.build import build_host
from raceproof.frontend import zig_program

RACE, UNKNOWN = 1, 3

HEAD = "".join(
    f"#include <{name}.h>\n"
    for name in (
        *("arpa/inet", "poll", "pthread", "signal", "stdio", "stdlib", "string", "sys/file", "sys/select"),
        *("sys/socket", "sys/wait", "unistd"),
    )
)
TWO = """
static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *racy(void *p) { x++; return p; }
static void two(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, racy, 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
}
"""
# Serves on port 8080, a thread for each client; COUNT is what each does.
SERVER = """
static int served, quit;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void stop(int number) { quit = number; }
static void *serve(void *p) {
    int client = (int)(long)p;
    char text[16];
    if (read(client, text, sizeof text) > 0) write(client, "hi", 2);
    COUNT
    close(client);
    return 0;
}
int main(void) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(8080), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sigaction action = {.sa_handler = stop};
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (HANDLES) sigaction(SIGTERM, &action, 0);
    if (bind(s, (struct sockaddr *)&at, sizeof at) || listen(s, 5)) return 1;
    while (!quit) {
        pthread_t t;
        int client = accept(s, 0, 0);
        if (client >= 0 && pthread_create(&t, 0, serve, (void *)(long)client) == 0) pthread_detach(t);
    }
    END
    return 0;
}
"""
LOCKED = "pthread_mutex_lock(&m); served++; pthread_mutex_unlock(&m);"
CONNECTED = "import socket; s = socket.create_connection(('127.0.0.1', 8080))"
CLIENT = f"{sys.executable} -ISc \"{CONNECTED}; s.send(b'x'); s.recv(9)\""


@pytest.fixture(scope="module", autouse=True)
def host() -> Path:
    return build_host()  # which takes longer than the programs here


def server(count: str, handles: bool = False, end: str = "") -> str:
    return SERVER.replace("COUNT", count).replace("HANDLES", str(int(handles))).replace("END", end)


def explore(directory: Path, text: str, *options: str, name: str = "program.c") -> tuple[int, dict[str, Any]]:
    source, out = directory / name, directory / "out.json"
    source.write_text(HEAD + text, encoding="utf-8")
    words = ["explore", "--no-config", "--json", str(out), "--time-limit", "300", str(source), *options]
    status = main(words)
    return status, json.loads(out.read_text(encoding="utf-8"))


def notes(report: dict[str, Any]) -> str:
    return " ".join(note for engine in report["engines"] for note in engine["notes"])


READER = TWO + 'int main(void) { int n; if (scanf("%d", &n) == 1 && n == 7) two(); return 0; }'


def test_standard_input_is_part_of_the_run(tmp_path: Path) -> None:
    given = tmp_path / "given"
    given.write_text("7\n", encoding="utf-8")
    status, report = explore(tmp_path, READER, "--stdin", str(given))
    assert status == RACE
    assert report["input"]["stdin"] == "7\n"
    assert main(["replay", str(tmp_path / "out.json")]) == RACE


def test_a_program_that_finds_no_input_says_so(tmp_path: Path) -> None:
    status, report = explore(tmp_path, READER)
    assert status == UNKNOWN
    assert report["reason"].endswith("read its standard input, which was empty: give --stdin FILE")


def test_the_environment_is_part_of_the_run(tmp_path: Path) -> None:
    text = TWO + 'int main(void) { char *s = getenv("RP_MODE"); if (s && *s == 0x66) two(); return 0; }'
    assert explore(tmp_path, text, "--env", "RP_MODE=slow")[0] == UNKNOWN
    status, report = explore(tmp_path, text, "--env", "RP_MODE=fast")
    assert (status, report["input"]["environment"]) == (RACE, {"RP_MODE": "fast"})
    assert main(["replay", str(tmp_path / "out.json")]) == RACE


def test_clients_come_when_the_program_listens(tmp_path: Path) -> None:
    status, report = explore(tmp_path, server("served++;"), "--client", CLIENT, "--client", CLIENT)
    assert status == RACE
    assert report["input"]["clients"] == [CLIENT, CLIENT]
    assert main(["replay", str(tmp_path / "out.json")]) == RACE


def test_what_clients_do_bounds_the_search(tmp_path: Path) -> None:
    text = server(LOCKED)
    status, report = explore(tmp_path, text, "--pairs", "all", "--max-executions", "2", "--client", CLIENT)
    assert status == UNKNOWN
    assert "what comes from clients and other processes comes in one order of many" in notes(report)
    assert "a client ended with status" not in notes(report)


def test_a_server_without_clients_says_so(tmp_path: Path) -> None:
    status, report = explore(tmp_path, server("served++;"))
    assert status == UNKNOWN
    assert report["reason"] == "it waits in accept() for a client that never came: give --client COMMAND"


def test_a_client_that_fails_is_told(tmp_path: Path) -> None:
    _, report = explore(tmp_path, server(LOCKED), "--pairs", "all", "--max-executions", "1", "--client", "exit 9")
    assert "a client ended with status 9" in notes(report)


def test_a_server_is_ended_by_a_signal_that_it_handles(tmp_path: Path) -> None:
    """The race comes only behind the loop of the server."""
    text = TWO.replace("static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;", "") + server("", True, "two();")
    assert explore(tmp_path, text, "--client", CLIENT)[0] == RACE
    assert main(["replay", str(tmp_path / "out.json")]) == RACE


def test_nothing_is_left_of_clients(tmp_path: Path) -> None:
    seconds = f"9{os.getpid()}"
    client = f"setsid sleep {seconds} & {CLIENT}"
    explore(tmp_path, server(LOCKED), "--pairs", "all", "--max-executions", "1", "--client", client)
    running = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if _is_there(path)]
    assert not any(f"sleep\0{seconds}".encode() in line for line in running)


def _is_there(path: Path) -> bool:
    try:
        return bool(path.read_bytes())
    except OSError:
        return False


# A library without sources: what it does with locks, threads, memory and thread-local variables is the runtime's.
LIBRARY = """
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static __thread int own = 40;
void with_lock(void (*f)(void)) { pthread_mutex_lock(&mutex); f(); pthread_mutex_unlock(&mutex); }
int next_own(void) { return ++own; }
char *made(void) { return strcpy(malloc(8), "made"); }
static void *call(void *p) { void (*f)(void); memcpy(&f, &p, sizeof f); f(); return 0; }
pthread_t start(void (*f)(void)) {
    pthread_t t;
    void *p;
    memcpy(&p, &f, sizeof p);
    pthread_create(&t, 0, call, p);
    return t;
}
"""
DECLARED = """
void with_lock(void (*f)(void));
int next_own(void);
char *made(void);
pthread_t start(void (*f)(void));
static int x, y;
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("library")
    (directory / "aside.c").write_text(LIBRARY, encoding="utf-8")
    command = [zig_program(), "cc", "-shared", "-fPIC", "-fno-sanitize=all", "aside.c", "-o", "libaside.so"]
    subprocess.run(command, cwd=directory, check=True)
    return directory / "libaside.so"


def test_a_lock_of_a_library_is_the_schedulers(library: Path, tmp_path: Path) -> None:
    """A thread waits for it while another one, that holds it, waits for its turn."""
    text = DECLARED + """
    static void both(void) { x++; sched_yield(); y++; }
    static void *f(void *p) { with_lock(both); return p; }
    int main(void) {
        pthread_t t[2];
        for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, f, 0);
        for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
        if (x != 2 || y != 2) abort();
        return 0;
    }"""  # fmt: skip
    flags = (f"--link=-L{library.parent}", "--link=-laside", "--pairs", "all", "--algorithm", "dpor")
    status, report = explore(tmp_path, text, *flags)
    assert (status, report["other"]) == (UNKNOWN, [])
    stats = report["engines"][-1]["stats"]
    assert stats["complete"]
    assert stats["executions"] > 1
    assert "what `libaside.so` does by itself was not scheduled for" in json.dumps(report)


def test_a_thread_of_a_library_is_one_of_the_program(library: Path, tmp_path: Path) -> None:
    text = (
        DECLARED
        + """
    static void bump(void) { x++; }
    int main(void) { pthread_t t = start(bump); x++; pthread_join(t, 0); return 0; }"""
    )
    status, report = explore(tmp_path, text, f"--link={library}", "--pairs", "all")
    assert status == RACE
    assert report["replay"]["surroundings"]["libraries"] == [str(library)]
    assert main(["replay", str(tmp_path / "out.json")]) == RACE


def test_each_thread_has_the_variables_of_a_library(library: Path, tmp_path: Path) -> None:
    text = DECLARED + TWO.replace("static int x;", "").replace(
        "x++;",
        "char *s = made(); int a = next_own(); sched_yield();"
        " if (a != 41 || next_own() != 42 || *s != 0x6d) abort(); free(s); x++;",
    )
    status, report = explore(tmp_path, text + "int main(void) { two(); return 0; }", f"--link={library}", "--all")
    assert status == RACE
    assert report["other"] == []


def test_a_library_that_is_missing_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "program.c"
    source.write_text("int main(void) { return 0; }", encoding="utf-8")
    assert main(["explore", "--no-config", str(source), "--link=-lno_such_library"]) == 2
    assert "there is no shared library libno_such_library.so" in capsys.readouterr().err
    _, report = explore(tmp_path, "int next_own(void);" + TWO + "int main(void) { next_own(); two(); return x; }")
    assert "--link=-lNAME" in json.dumps(report)


def test_each_execution_finds_the_files_as_they_were(tmp_path: Path) -> None:
    directory = tmp_path / "data"
    directory.mkdir()
    (directory / "there").write_text("1", encoding="utf-8")
    text = (
        TWO.replace("x++;", "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);")
        + """
    int main(void) {
        FILE *new = fopen("new", "r"), *old = fopen("there", "r");
        if (new != NULL || old == NULL || fgetc(old) != '1') abort();
        fclose(fopen("new", "w"));
        unlink("there");
        two();
        return 0;
    }"""
    )
    status, report = explore(tmp_path, text, "--directory", str(directory), "--pairs", "all", "--algorithm", "dfs")
    assert (status, report["other"]) == (UNKNOWN, [])
    assert report["engines"][-1]["stats"]["executions"] > 1
    assert [path.name for path in directory.iterdir()] == ["there"]


WAITS = {
    "poll": "struct pollfd w = {.fd = ends[0], .events = POLLIN}; if (poll(&w, 1, -1) != 1) abort();",
    "select": "fd_set s; FD_ZERO(&s); FD_SET(ends[0], &s); if (select(ends[0] + 1, &s, 0, 0, 0) != 1) abort();",
    "read": "char c; if (read(ends[0], &c, 1) != 1) abort();",
}


@pytest.mark.parametrize("how", WAITS)
def test_a_thread_that_waits_lets_others_run(how: str, tmp_path: Path) -> None:
    """What it is told lets it go on; the access behind is ordered, and time limits take no time."""
    text = f"""
    static int x, ends[2];
    static void *waits(void *p) {{ {WAITS[how]} x++; return p; }}
    int main(void) {{
        pthread_t t;
        struct pollfd nothing = {{.fd = -1}};
        if (pipe(ends)) return 1;
        pthread_create(&t, 0, waits, 0);
        if (poll(&nothing, 1, 3600 * 1000) != 0) abort();
        x++;
        if (write(ends[1], "x", 1) != 1) abort();
        pthread_join(t, 0);
        return 0;
    }}"""
    status, report = explore(tmp_path, text, "--pairs", "all")
    assert (status, report["other"]) == (UNKNOWN, [])
    assert report["engines"][-1]["stats"]["complete"]


def test_a_search_in_which_all_fails_alike_is_given_up(tmp_path: Path) -> None:
    loop = "for (int i = 0; i < 6; i++) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); }"
    text = TWO.replace("x++;", loop) + """
    int main(void) { two(); two(); two(); int *volatile nothing = 0; *nothing = 1; return 0; }"""  # fmt: skip
    status, report = explore(tmp_path, text, "--pairs", "all", "--algorithm", "dfs")
    assert status == UNKNOWN
    assert "every execution ended with the same failure" in json.dumps(report["engines"])
    assert [other["kind"] for other in report["other"]] == ["crash"]
