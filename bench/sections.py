"""The sections of docs/results.md, in order: a title and what has to be said before the table."""

from __future__ import annotations

INTRO = """# Results

What raceproof was measured to do. Each table stands below the command that makes it; the command
replaces the table. `make tables` makes those of the papers, `make bench` all others but for the last ones, which
`make soak` makes.
"""

SECTIONS: dict[str, tuple[str, str]] = {
    "summary": (
        "## Where raceproof stands",
        """Against what other tools reach, as it was measured elsewhere on a machine of the same kind, or published.
Written from the tables below.""",
    ),
    "corpus": (
        "## Programs with known verdicts",
        """The SV-COMP tasks *pthread-race-challenges* at hand, each checked alone, as a user would.""",
    ),
    "portfolio": (
        "## The portfolio: what each engine is worth",
        """Programs of `tests/programs`, one idiom each, whose truth stands on their lines: by engines alone, together,
and by all but one. *for all inputs*: of those proved, not only for the inputs that were tried. *pairs by*:
race pairs that this engine decided. Verdicts are compared with the truth; each race was executed.""",
    ),
    "unproved": (
        "## All engines together",
        """On all programs of `tests/programs`. Those without a race that are not proved, and such with one that is not
executed, are listed with the reason that the report gives.""",
    ),
    "inputs": (
        "## Races that need an input or a rare schedule",
        """The programs of `tests/programs/inputs`: the explorer alone, with the values that it tries by itself, `bmc`
alone, and both. *not found*: the engines ended without the race. The twins have no race.""",
    ),
    "run-rare": (
        "## Rare races: sampled runs and ThreadSanitizer",
        """Programs of `bench/sampling/rare`, each with one planted race that few schedules show. The run, of 100, in
which `raceproof run` saw a race first, by each way of drawing schedules (docs/run.md), predictions included; beside it
in how many of 100 runs ThreadSanitizer (gcc, `-O1`) reports one.""",
    ),
    "run-cost": (
        "## What a sampled run costs",
        """CPU seconds of one run of CPU-bound programs: native, under ThreadSanitizer (both gcc `-O1`), and by
`raceproof run --runs 1`, without compiling and without the start of Python. All measured in turn.""",
    ),
    "real": (
        "## Real programs",
        """Sources as Debian distributes them, fetched by `bench/real/fetch.py`, whole: by the static engines as they
are, and, where a program can be run on a small input, by the explorer, with the sources of the libraries that it needs.
Each has a page with what was proved and how, what was executed and whether it matters, and what is unknown and why.""",
    ),
    "use": (
        "## Real programs as they are used",
        """Built by `raceproof cc` in their own build systems (`bench/real/uses.toml`), and explored with clients,
servers and input as in use, system libraries as they are (docs/running.md). The races of ThreadSanitizer (gcc, `-O1`)
are the distinct summaries of three runs of the same workload.""",
    ),
    "facts": (
        "## Real programs: time to the facts",
        """CPU seconds and peak memory from points-to to the facts, without compiler and race pairs. *before*: to facts
at full strength in the version before there were others, within one or two minutes on a busy machine. *first strength*:
without a flow analysis (docs/soundness.md), which is what is used when a flow takes longer than half of the time.""",
    ),
    "tables-cost": (
        "## The tables of the papers: what they cost",
        """`make tables` runs these scripts two at a time. CPU seconds, with all processes that a script starts; what is
compiled once and kept is in there for who runs first. The programs of `bench/real` and SV-COMP's drivers are measured
where they are at hand.""",
    ),
    "tables-pdp": (
        "## Property-driven pruning: Table 1 of [PDP]",
        """Programs of our own of the same kind, in `bench/tables/`, and pnscan as Debian distributes it: `gvar`
variables with accesses that may conflict, `accs` places of such accesses in the source, `race` racing pairs found. All
races of programs that have some are looked for; a figure behind `>` is where the limit in executions ended the search.
Times are CPU seconds of the search. *checks*: states whose subspace was checked, from the first one of an execution to
the first that is race-free (*yes*); *skipped*: points behind it to which DPOR would go back. *as printed*:
`pdp --as-printed`, which counts each conflict that it passes over as skipped, and proves nothing.

Where the shape is not the paper's:

- *checks* and *skipped*: the paper checks once for each point to go back to, so that on fdrd its traces are DPOR's
  without the 75 of 89 and the 165 of 233 that are skipped. Here one check that succeeds cuts the rest of an execution,
  and with it all points behind and all executions that they would lead to: many traces fewer with few points skipped.
- *fdrd*: the suffix is the number of rounds on z, which the paper does not tell of its variants. DPOR's traces grow
  exponentially with it, by a factor of some 3.5 a round, those of `pdp` by one a round. In the paper both stop at the
  first race; here DPOR comes to it after 5 and 7 executions, since it leaves out conflicts that happens-before orders.
- *pfscan-good*, *bzip2smp*: 1 trace, where the paper has 182 and 45. All accesses that are to come are under their
  locks, or the thread's own, and the first check says so. In the programs of the paper 181 of 398 and 43 of 48 checks
  fail: these have accesses that locksets do not show to be apart.
- *bzip2smp*: DPOR's traces grow exponentially with the threads, as any of them may take any block; in the paper by 851
  with each thread. *as printed* is at one trace, too.
- *pfscan-bug*: 11 of 1,988 traces for all races; the paper has 10 of 31, until the first one.
- *qsort*, *aget*: one trace is left, as in the paper. aget is `unknown`, as the order of calls of streams is not tried.
- *pnscan*: nothing to skip. An exit handler that reads the workers' counters, and buffers that `gethostbyname` and
  `gethostbyaddr` may share, are to come until the end and have no lock in common, so that only the last state of an
  execution is race-free.
- pfscan, aget and bzip2smp themselves are in no suite of Debian. lbzip2 2.5 (20,232 instructions) is not in the table:
  the facts that pruning needs were not there after 90 CPU seconds. pigz needs too much memory with the sources of zlib
  (`docs/real/pigz.md`), silversearcher-ag needs pcre.
- *loc*: ours have 58 to 137 lines where the paper's have 66 to 6,358.""",
    ),
    "tables-dhtc": (
        "## Thread states and locksets: Table 3 of [DHTC]",
        """A coding and communication program with 2 to 6 threads, `bench/tables/coding.c`; in `coding-bug` two status
words race. All races are looked for. *sleep*: the baseline, DPOR with sleep sets (`dhtc --no-pruning`). *conflicts*:
pairs that are not confirmed as races: with the baseline, pairs whose accesses conflict in some execution; with `dhtc`,
pairs that thread states and locksets leave open in some state. A figure behind `>` is where the limit in executions
ended the search.

The paper's search does not end with a race either (Fig. 6 l.16), and needs 0.7k to 2k transitions with 2 to 6
threads. Here it is one trace without races, because every access to come is under its lock, and three with races: the
first one notes what is open, hunts show it, and pairs that have raced keep nothing open any more. With 2 threads,
thread states decide: `*status = value` writes both status words, and one of them is the receiver's own.""",
    ),
    "tables-launch": (
        "## Launch control: Fig. 12 of [DHTC]",
        """A launch control program with 2 to 10 task threads beside the controller, `bench/tables/launch.c`; in
`launch-bug` the controller calls off, and tasks note who moved last, without a lock. Columns as above. Two tasks note
it at the same time only in runs in which the controller comes late: the hunt lets those go first that may still come
to the pair.""",
    ),
    "tables-targets": (
        "## Host and target: Table 2 and Fig. 10 of [DHTC]",
        """The same searches on the host and on targets ([docs/target.md](target.md)): the coding and communication
program on all of them, the launch control program (Fig. 12) on x86. All races are looked for. Traces, transitions and
races are those of the target; where they differ from the host's with the same data model, the row says so. *factor*:
CPU time of the search on the target by that on the host. aarch64, arm and riscv64 are emulated by qemu, so that their
times are not those of boards.""",
    ),
    "tables-petri": (
        "## Any number of threads: Table 1 of [PN]",
        """The paper's seven examples, in `examples/sml/`, by its algorithm as written ([PN, Fig. 4]) and, under
*native*, by ours; *paper* is the column before it as the paper has it. All answers are checked by
`petri/checking.py`. *run*: steps of the shortest run to a race. Verdicts are the paper's. The counts differ, as far as
can be said of nets that the paper does not print:

- The net is the paper's: the token of a thread at an access stands in Read_x or Write_x itself. With that, Counter and
  CheckThenAct keep as many configurations as in the paper, and CheckThenAct needs as many rounds.
- *kept* is Explored at the end, with the configuration that ends an unsafe search.
- *subsumed* counts what a configuration in Explored covers when it comes, and what a smaller one drives out later. The
  second table does not count the latter.
- *iterations* are rounds of breadth. Counter has one more than in the paper, in which the run is found.
- Of the safe programs the paper keeps fewer. It "narrowed down the examples to a characteristic part"; ours are whole,
  with every access and branch as two transitions. CounterWithLock with nothing but the write under the lock, the last
  row of the second table, keeps as many as there.
- In the paper's net a wait ends only by a signal. In its Figure 2 all threads wait before anyone signals, so that
  Prods/Cons never gets to the buffer; the native solver's basis says so. With spurious wakeups, which POSIX allows and
  which are our default, threads get there, and the lock keeps them apart.""",
    ),
    "tables-transactions": (
        "## Invariants take warnings away: Table 1 of [TX]",
        """Drivers of our own (`bench/drivers/`, some with real races), and real programs as Debian distributes them
(`bench/real/`), of these the four with the fewest warnings. What is open in the other real programs is about pointers,
not about values. *shared*: variables and fields that two threads touch, one of them writing. *lockset*: pairs of
accesses that are open after this engine; *intervals*, *octagons*, *polyhedra*: after the engine `transactions` has gone
so far; *s*: CPU seconds of each. *#Wit*:
pairs of which `bmc` found a race that the explorer executed; *#Unknown*: what is open in the end. *total s* is the
whole check, the front end included, behind `>` if the time limit ended an engine. A race that is known to be there must
stay open. With more time more is proved: the paper gives its engines minutes.""",
    ),
    "tables-svcomp": (
        "### The drivers of SV-COMP",
        """The tasks of *ldv-races*, *pthread-driver-races* and *ldv-linux-3.14-races* that are at hand (`--svcomp`, or
RACEPROOF_SVCOMP). Columns as above. The first task of 32 bits builds the runtime.""",
    ),
    "tables-reduction": (
        "## What the reduction saves: Algorithm 1 of [TX]",
        """What each part of the reduction in [TX, Algorithm 1] saves in the engine `transactions`: compacted edges,
conflicts behind locks that are held (l.8 (b)) and semantic independence, each left out, and all of it left out.
*nodes*, *steps*: of all products of all rounds; *steps* are moves of one thread that were followed, within a
transaction or at its end. Behind `>` where the limit ended a search: there, *proved* is what counts.""",
    ),
    "witnesses": (
        "## Witnesses: Table 2 of [TX]",
        """A row for each race that `bmc` found and the explorer executed, in programs of our own: those of
`bench/witness`, and one race of every eighth program of `tests/programs/inputs`. *depth*: steps of the run that was
executed. *s* and *MB*: CPU seconds, and memory, at most, of a process that looks for this one race, with what the
loaded program takes; beside it the same without slices, and without what the static analysis knows. Below it sums,
for large programs also without critical sections as transactions, and with ranges from invariants of
`transactions`.""",
    ),
    "explore": (
        "## The explorer: executions a second, and how many are needed",
        """Programs with a known number of Mazurkiewicz traces, in `bench/explore/`; named `TxI`: T threads, each
I times lock, increment, unlock. CPU seconds of one core, for the search alone.""",
    ),
    "cluster": (
        "## Several workers: what a search gains",
        """One search by several processes (`--jobs`), and by workers of a cluster on the same machine
([cluster.md](cluster.md)). *of --jobs*: the speed of as many processes without Dask; *CPU s*: of the search alone;
*start s*: the rest of the command, starting the workers included.""",
    ),
    "petri": (
        "## Coverability of Petri nets",
        """Nets on which coverability tools are usually compared, in mist's format, with known verdicts. *solver*: the
native kernel, its evidence checked by `petri/checking.py` (*check*: seconds); *plain*: the backward search of
[PN, Fig. 4] as written, without accelerations. *basis*, *invariants*: the certificate of a safe net; *steps*: the run
of an unsafe one.""",
    ),
    "fixes": (
        "## Repairs of races",
        """What `raceproof fix` does with racy programs of `tests/programs` (`bench/fixes.py`, which says how they are
chosen), with the engines `lockset` and `explore`. *check*: *proved* if all pairs of the locations that raced are proved
race-free after the repair, *gone* if no race was executed any more; in both cases without a new race or deadlock.
*output*: of the compiled programs, each run five times.""",
    ),
    "ranking": (
        "## Ranking: one lock removed from correct programs",
        """Programs of `bench/generate.py` (600 instructions) without races; from each, one lock was removed. Seen by
`lockset` alone, nothing is executed (`bench/ranking.py`). *rank*: the place of the first location with pairs that
were proved with the lock and are open without it, among all open locations.""",
    ),
    "tsan": (
        "## ThreadSanitizer with what is proved left out",
        """CPU seconds of programs in `bench/tsan` as they are, under ThreadSanitizer (clang, -O1), and with the list of
`raceproof tsan-ignorelist`. A planted race must be reported with the list as without.""",
    ),
    "octagons": (
        "## Octagons: the native kernel against numpy",
        """Matrices of random constraints over so many variables, closed over the integers. Both are called from Python;
their results are equal. Best of five.""",
    ),
    "static": (
        "## Generated programs: time and memory by size",
        """`bench/generate.py` writes programs with threads of a given size: modules with global and heap state
under locks, atomics, read-only and private state, pure functions, services that call them, 4 to 12
start functions, two phases. A program without planted races has none; three races are planted in the
others. What grows with the size is the front end, the facts and `lockset`, which are measured here: the other engines
take the time that they get. *cold* is a run with an empty cache, *warm* the run after it. Times are wall-clock
seconds.""",
    ),
    "states": (
        "## States, not schedules",
        """Pools, queues, barriers of `bench/states` in sizes N: states that `states` visits, executions that the others
need; empty where a search was not through within its seconds. *exponent*: of the growth between the last two sizes.
Of `philosophers`, N is the number of threads, in which states are exponential in number; each of the `readers` keeps a
sum of what it has read, and there are exponentially many of these. The racy twin of each program (`-DRACY`) is executed
by `states`. Below: larger pools; *bytes told*: what tells one state from another; of each state 16 bytes are kept.""",
    ),
    "state_scripts": (
        "## States beside schedules, on generated programs",
        """Programs that `tests/exploration/state_scripts.py` generates: `states` with both of its reductions, with one,
and without (*plain*), beside `dfs`, which is cut after 4,000 executions. A problem is a race or deadlock that one
search has and another one must not miss, a search that does not end, or two states with one hash.""",
    ),
    "scaling": (
        "## Scaling",
        """How time and memory grow, each direction alone, in programs without races that are made for it. Each point is
a process of its own; the seconds are those of facts and engines, without starting Python and compiling. A curve ends
where a point takes longer than the limit or is not proved (open circle). *exponent*: e of seconds ~ x^e over the last
three points, *flat* where there is nothing to see. Exponents far above 3 are exponential growth that was met early.

What to do about the steepest:

- *`dfs`* and *`optimal`* go through all orders, which are exponential in threads, locks and sections by nature: nothing
  but not exploring them helps. They are here to be compared with; `check` uses neither.
- *`race`*, which `check` uses, needs one execution where everything is locked, until there are 255 locks: its pruning
  keeps sets of so many, and knows nothing of the others, so that their orders are explored.
- *`bmc`* has an order between every two events that may touch the same memory: formulas grow as the square, and solving
  them is worse than that. Slices make the events fewer where values do not matter, and the portfolio lets it have only
  a part of the time. Orders that are added to the formula when a model needs them would be next.
- *`transactions`* makes a product of two threads for the slice of each open pair and repeats it for each domain. Slices
  leave out what decides nothing, locks too; what is left grows with the code that may decide. Smaller ones come first.
- *Pairs* grow as the square of the accesses to one location, and every engine pays for each of them. Accesses of one
  function with the same locks and moments should be decided once.
- *Code size*: points-to and flow are Python, with contexts that multiply in deep call graphs; real programs of ten
  thousand lines take minutes. Fewer contexts where they make no difference come first, native code after that.""",
    ),
    "scaling-size": (
        "### Code size",
        """Generated programs (`bench/generate.py`) of growing size, each static engine alone; pairs may stay open.""",
    ),
    "scaling-threads": (
        "### Threads",
        """Threads with a function of their own each, that add to one counter under one lock.""",
    ),
    "scaling-locks": (
        "### Locks",
        """Two threads that take so many locks, one after the other, each for a counter of its own.""",
    ),
    "scaling-pairs": (
        "### Pairs of accesses",
        """Two threads with statements under one lock that read and write one counter.""",
    ),
    "scaling-schedule": (
        "### Length of a schedule",
        """Two threads that add to one counter under a lock in a loop.""",
    ),
    "scaling-jobs": (
        "### Jobs in a list",
        """Two workers that take jobs off a list under a lock, and work on them without it. `shapes`, behind `lockset`,
does not count the jobs; what executes or unwinds the program does.""",
    ),
    "soak": (
        "## All engines against one another",
        """Generated programs (`tests/exploration/`) before all engines, as long as one likes; any seed draws the same
program again. Sixteen generators: branches on shared data under locks (`sc`, and with the weaker memory orders
`weak`), values that decide (`values`), loops and inputs (`loops`), the whole thread API with pointers and
heap (`api`), every way to wait without a plan (`loose`), threads that wait for others in chains (`chains`),
lists with a lock for each root (`lists`), nodes that are taken out of lists (`queues`), objects that one thread owns,
hands over, or that all only read (`owners`), idioms that were spoiled (`idioms`), the programs of `tests/programs`,
spoiled (`variations`), and two calls of the library about one object,
whose truth C11 and POSIX tell (`library`), code before main and after it (`startup`), a value from outside that decides
(`inputs`), as many objects as the explorer can follow, or more (`limits`). The truth of the last two is known by
construction. For all others `dfs` is the oracle: every schedule is
executed, races are C11's. On every program: `dfs`, `race`, another search, lockset, shapes; the other engines by
turns. `sweep` is `race` without its hunts, which find by luck what it might miss. A contradiction is a proof of
what was executed as a race, a race that an exhausted program does not have, searches that disagree, evidence
that is rejected, a changed program that does not show what its change claims (`tests/metamorphic/`), a race
that ThreadSanitizer or the interpreter of the IR sees and that is proved or no pair at all. *race-free,
shared*: all schedules were tried, and none had a race, though two threads access the same bytes, one of them
writing.""",
    ),
    "soak-latest": (
        "### The present version",
        """A shorter run on the code as it is. The table above it is of the last long one.""",
    ),
    "deadlock-soak": (
        "### Deadlocks of generated programs",
        """Programs with locks of all kinds, conditions, semaphores, barriers, joins and initialisers
(`tests/exploration/blocking.py`) before everybody who says something about deadlocks. `dfs` executes every schedule;
a contradiction is a proof beside a deadlock that it executes, or a deadlock that it does not have. *open*: no answer,
or one up to a bound; the interpreter looks at every fourth program, `check` with `check-evidence` at every tenth.""",
    ),
    "musl": (
        "## Library tables against musl",
        """What the bodies of musl's functions do, by points-to, against the rows of the tables (`tests/musl/`).
*compared*: functions that musl has in C, without the thread API. *justified*: of those, functions with differences that
are none, each with its reason in `tests/musl/justified.toml`. *differ*: rows that leave something out.""",
    ),
    "mutation": (
        "## Mutation of raceproof",
        """Small faults put into raceproof on purpose (`tests/mutation/`), one at a time: a condition turned round, a
conjunct left out, `<` for `<=`, a union for an intersection, a function that returns at once, a statement
that is missing, one too many. A sample of those in the modules on which proofs rest; each is tried with the
quick tests that execute its line, until one fails. *harmless*: no test can notice, or only precision is lost;
why is said below the table.""",
    ),
}
