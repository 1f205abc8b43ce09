"""The parts that drivers are made of: C templates in which a value, not a lock, says who may touch the data.

A part has functions that up to four threads call: `control` (a user's request), `interrupt` (the device), `worker`
(deferred work) and `stop` (main, while the others run). `$p` is the name of the unit, `$n` and `$k` are constants.
`racy` parts have a data race on purpose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Part:
    """`roles`: which threads call `$p_ROLE`."""

    text: str
    roles: tuple[str, ...]
    racy: bool = False


COMMAND: Final = Part(
    """
/* $p: one command at a time. The user prepares it while the unit is idle, the device answers while it is busy. */
enum { ${p}_IDLE, ${p}_ISSUED, ${p}_ANSWERED };
static struct {
    pthread_mutex_t lock;
    int state;
    int request[$n], answer[$n];
} ${p} = {.lock = PTHREAD_MUTEX_INITIALIZER, .state = ${p}_IDLE};

static int ${p}_state(void) {
    pthread_mutex_lock(&${p}.lock);
    int state = ${p}.state;
    pthread_mutex_unlock(&${p}.lock);
    return state;
}

static void ${p}_enter(int state) {
    pthread_mutex_lock(&${p}.lock);
    ${p}.state = state;
    pthread_mutex_unlock(&${p}.lock);
}

static int ${p}_control(int argument) {
    int result = -1;
    if (${p}_state() == ${p}_IDLE) {
        for (int i = 0; i < $n; i++)
            ${p}.request[i] = argument + i;
        ${p}_enter(${p}_ISSUED);
    }
    if (${p}_state() == ${p}_ANSWERED) {
        result = 0;
        for (int i = 0; i < $n; i++)
            result += ${p}.answer[i];
        ${p}_enter(${p}_IDLE);
    }
    return result;
}

static void ${p}_interrupt(int status) {
    if (${p}_state() != ${p}_ISSUED)
        return;
    for (int i = 0; i < $n; i++)
        ${p}.answer[i] = ${p}.request[i] ^ status;
    ${p}_enter(${p}_ANSWERED);
}
""",
    ("control", "interrupt"),
)

LOG: Final = Part(
    """
/* $p: events are written behind the last one and then counted; the worker reads what is counted. */
static struct {
    pthread_mutex_t lock;
    int count;
    int event[$n];
} ${p} = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int ${p}_count(void) {
    pthread_mutex_lock(&${p}.lock);
    int count = ${p}.count;
    pthread_mutex_unlock(&${p}.lock);
    return count;
}

static void ${p}_interrupt(int status) {
    int at = ${p}_count();
    if (at >= $n)
        return;
    ${p}.event[at] = status;
    pthread_mutex_lock(&${p}.lock);
    ${p}.count = at + 1;
    pthread_mutex_unlock(&${p}.lock);
}

static int ${p}_worker(int round) {
    int sum = 0, count = ${p}_count();
    for (int i = 0; i < count; i++)
        sum += ${p}.event[i];
    return sum + round;
}
""",
    ("interrupt", "worker"),
)

LATE_LOG: Final = Part(
    LOG.text.replace("/* $p: events", "/* $p: BUG: counted too early. Events").replace(
        """    ${p}.event[at] = status;
    pthread_mutex_lock(&${p}.lock);
    ${p}.count = at + 1;
    pthread_mutex_unlock(&${p}.lock);
""",
        """    pthread_mutex_lock(&${p}.lock);
    ${p}.count = at + 1;
    pthread_mutex_unlock(&${p}.lock);
    ${p}.event[at] = status;
""",
    ),
    LOG.roles,
    racy=True,
)

REFERENCES: Final = Part(
    """
/* $p: a buffer with a reference for each user, given up in the first round; the last one clears it. */
static struct {
    atomic_int references;
    int data[$n];
} ${p} = {.references = 2};

static int ${p}_release(void) {
    if (atomic_fetch_sub(&${p}.references, 1) != 1)
        return 0;
    for (int i = 0; i < $n; i++)
        ${p}.data[i] = 0;
    return 1;
}

static int ${p}_control(int round) {
    if (round > 0)
        return 0;
    int sum = ${p}.data[0] + ${p}.data[$n - 1];
    return sum + ${p}_release();
}

static int ${p}_worker(int round) {
    int sum = 0;
    if (round > 0)
        return 0;
    for (int i = 0; i < $n; i++)
        sum += ${p}.data[i];
    return sum + ${p}_release();
}
""",
    ("control", "worker"),
)

STOPPING: Final = Part(
    """
/* $p: a request enters before it looks whether the unit stops; the unit is cleared when nobody is inside. */
static struct {
    atomic_int inside, stopping;
    int registers[$n];
} ${p} = {.inside = 1};

static int ${p}_leave(void) {
    return atomic_fetch_sub(&${p}.inside, 1) == 1;
}

static int ${p}_control(int argument) {
    int result = -1;
    atomic_fetch_add(&${p}.inside, 1);
    if (!atomic_load(&${p}.stopping)) {
        ${p}.registers[argument & 1] = argument;
        result = ${p}.registers[$n - 1];
    }
    ${p}_leave();
    return result;
}

static void ${p}_stop(void) {
    atomic_store(&${p}.stopping, 1);
    if (${p}_leave())
        for (int i = 0; i < $n; i++)
            ${p}.registers[i] = 0;
}
""",
    ("control", "stop"),
)

LATE_STOPPING: Final = Part(
    STOPPING.text.replace(
        "/* $p: a request enters before it looks whether", "/* $p: BUG: a request enters after it looked whether"
    ).replace(
        """    atomic_fetch_add(&${p}.inside, 1);
    if (!atomic_load(&${p}.stopping)) {
        ${p}""",
        """    int stopping = atomic_load(&${p}.stopping);
    atomic_fetch_add(&${p}.inside, 1);
    if (!stopping) {
        ${p}""",
    ),
    STOPPING.roles,
    racy=True,
)

PHASES: Final = Part(
    """
/* $p: the device starts in three phases; each table is used from the phase on that has filled it. */
static struct {
    pthread_mutex_t lock;
    int phase;
    int base[$n], limit[$n];
} ${p} = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void ${p}_advance(void) {
    pthread_mutex_lock(&${p}.lock);
    ${p}.phase++;
    pthread_mutex_unlock(&${p}.lock);
}

static int ${p}_phase(void) {
    pthread_mutex_lock(&${p}.lock);
    int phase = ${p}.phase;
    pthread_mutex_unlock(&${p}.lock);
    return phase;
}

static void ${p}_interrupt(int status) {
    if (${p}_phase() != 0)
        return;
    for (int i = 0; i < $n; i++)
        ${p}.base[i] = status + i;
    ${p}_advance();
    for (int i = 0; i < $n; i++)
        ${p}.limit[i] = ${p}.base[i] + $k;
    ${p}_advance();
}

static int ${p}_control(int argument) {
    int phase = ${p}_phase(), sum = argument;
    if (phase >= 1)
        sum += ${p}.base[0];
    if (phase >= 2)
        sum += ${p}.limit[$n - 1];
    return sum;
}
""",
    ("control", "interrupt"),
)

SPLIT: Final = Part(
    """
/* $p: a buffer that is split by a parameter: the device fills the lower part, the worker the upper one. */
static struct {
    int middle;
    char memory[$n];
} ${p};

static void ${p}_configure(int middle) {
    ${p}.middle = middle < 0 ? 0 : middle > $n ? $n : middle;
}

static void ${p}_interrupt(int status) {
    for (int i = 0; i < ${p}.middle; i++)
        ${p}.memory[i] = (char)status;
}

static int ${p}_worker(int round) {
    int sum = 0;
    for (int i = ${p}.middle; i < $n; i++) {
        ${p}.memory[i] = (char)i;
        sum += ${p}.memory[i];
    }
    return sum + round;
}
""",
    ("configure", "interrupt", "worker"),
)

MAILBOX: Final = Part(
    """
/* $p: one letter at a time: the interrupt fills the box while it is empty, the worker empties it while it is full. */
static struct {
    atomic_int full;
    int letter[$n];
} ${p};

static void ${p}_interrupt(int status) {
    if (atomic_load_explicit(&${p}.full, memory_order_acquire) != 0)
        return;
    for (int i = 0; i < $n; i++)
        ${p}.letter[i] = status * i;
    atomic_store_explicit(&${p}.full, 1, memory_order_release);
}

static int ${p}_worker(int round) {
    int sum = 0;
    if (atomic_load_explicit(&${p}.full, memory_order_acquire) == 1) {
        for (int i = 0; i < $n; i++) {
            sum += ${p}.letter[i];
            ${p}.letter[i] = 0;
        }
        atomic_store_explicit(&${p}.full, 0, memory_order_release);
    }
    return sum + round;
}
""",
    ("interrupt", "worker"),
)

PLAIN_FLAG: Final = Part(
    """
/* $p: BUG: the flag is plain, so that it races, and orders nothing. */
static struct {
    int ready;
    int value;
} ${p};

static void ${p}_interrupt(int status) {
    ${p}.value = status;
    ${p}.ready = 1;
}

static int ${p}_worker(int round) {
    return ${p}.ready == 1 ? ${p}.value : -round;
}
""",
    ("interrupt", "worker"),
    racy=True,
)

PAGES: Final = Part(
    """
/* $p: pages are counted. At the limit the worker gives one back, below it the user takes one: each under its lock. */
static pthread_mutex_t ${p}_lock = PTHREAD_MUTEX_INITIALIZER, ${p}_count_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ${p}_pages = $n - 1;
static int ${p}_owner;

static int ${p}_control(int argument) {
    pthread_mutex_lock(&${p}_lock);
    if (atomic_load(&${p}_pages) >= $n) {
        pthread_mutex_unlock(&${p}_lock);
        return -1;
    }
    pthread_mutex_lock(&${p}_count_lock);
    pthread_mutex_unlock(&${p}_lock);
    ${p}_owner = argument;
    if (argument > 0)
        atomic_fetch_add(&${p}_pages, 1);
    pthread_mutex_unlock(&${p}_count_lock);
    return 0;
}

static int ${p}_worker(int round) {
    int given = 0;
    pthread_mutex_lock(&${p}_lock);
    if (atomic_load(&${p}_pages) == $n) {
        ${p}_owner = 0;
        atomic_fetch_sub(&${p}_pages, 1);
        given = 1;
    }
    pthread_mutex_unlock(&${p}_lock);
    return given * round;
}
""",
    ("control", "worker"),
)

CREDITS: Final = Part(
    """
/* $p: credits are free, sent or answered, and their sum stays; who has more than half of them may reset the unit. */
static struct {
    pthread_mutex_t lock;
    int total, unused, sent, answered;
    int generation;
} ${p} = {.lock = PTHREAD_MUTEX_INITIALIZER, .total = $n, .unused = $n};

static int ${p}_control(int argument) {
    int most = 0;
    pthread_mutex_lock(&${p}.lock);
    if (${p}.unused > 0) {
        ${p}.unused--;
        ${p}.sent++;
    }
    most = 2 * ${p}.sent > ${p}.total;
    pthread_mutex_unlock(&${p}.lock);
    if (most)
        ${p}.generation = argument;
    return most;
}

static void ${p}_interrupt(int status) {
    int most = 0;
    pthread_mutex_lock(&${p}.lock);
    if (${p}.unused > 0) {
        ${p}.unused--;
        ${p}.answered++;
    }
    most = 2 * ${p}.answered > ${p}.total;
    pthread_mutex_unlock(&${p}.lock);
    if (most)
        ${p}.generation = -status;
}
""",
    ("control", "interrupt"),
)

SHARED_LINE: Final = Part(
    """
/* $p: whether the line is shared is a parameter: only then is there anything to lock, and anything to count. */
static pthread_mutex_t ${p}_lock = PTHREAD_MUTEX_INITIALIZER;
static int ${p}_sharers, ${p}_counter;

static void ${p}_configure(int sharers) {
    ${p}_sharers = sharers;
}

static void ${p}_count(void) {
    if (${p}_sharers > $k)
        pthread_mutex_lock(&${p}_lock);
    if (${p}_sharers >= $k + 1)
        ${p}_counter++;
    if (${p}_sharers > $k)
        pthread_mutex_unlock(&${p}_lock);
}

static void ${p}_interrupt(int status) {
    if (status >= 0)
        ${p}_count();
}

static int ${p}_worker(int round) {
    ${p}_count();
    return round;
}
""",
    ("configure", "interrupt", "worker"),
)

DONE_BITS: Final = Part(
    """
/* $p: the interrupt and the worker set a bit each when they are done; the user looks at the results of both. */
static atomic_int ${p}_done;
static int ${p}_first[$n], ${p}_second[$n];

static void ${p}_interrupt(int status) {
    if (atomic_load(&${p}_done) & 1)
        return;
    for (int i = 0; i < $n; i++)
        ${p}_first[i] = status;
    atomic_fetch_or(&${p}_done, 1);
}

static int ${p}_worker(int round) {
    if (atomic_load(&${p}_done) & 2)
        return 0;
    for (int i = 0; i < $n; i++)
        ${p}_second[i] = i + round;
    return atomic_fetch_or(&${p}_done, 2);
}

static int ${p}_control(int argument) {
    if ((atomic_load(&${p}_done) & 3) != 3)
        return -1;
    return ${p}_first[argument & 1] + ${p}_second[0];
}
""",
    ("control", "interrupt", "worker"),
)

STATISTICS: Final = Part(
    """
/* $p: counters under a lock. */
static struct {
    pthread_mutex_t lock;
    long received, sent, errors;
} ${p} = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void ${p}_interrupt(int status) {
    pthread_mutex_lock(&${p}.lock);
    ${p}.received++;
    if (status < 0)
        ${p}.errors++;
    pthread_mutex_unlock(&${p}.lock);
}

static int ${p}_control(int argument) {
    pthread_mutex_lock(&${p}.lock);
    ${p}.sent += argument > 0;
    long errors = ${p}.errors;
    pthread_mutex_unlock(&${p}.lock);
    return errors > $k;
}

static int ${p}_worker(int round) {
    pthread_mutex_lock(&${p}.lock);
    long all = ${p}.received + ${p}.sent;
    pthread_mutex_unlock(&${p}.lock);
    return all > $n + round;
}
""",
    ("control", "interrupt", "worker"),
)

BARE_STATISTICS: Final = Part(
    """
/* $p: BUG: a counter that nobody protects. */
static long ${p}_packets;

static void ${p}_interrupt(int status) {
    ${p}_packets += status > 0;
}

static int ${p}_worker(int round) {
    return ${p}_packets > $k + round;
}
""",
    ("interrupt", "worker"),
    racy=True,
)

CHECKSUM: Final = Part(
    """
/* $p: a frame is built, protected by a checksum, and taken apart again, all on the stack. */
static unsigned ${p}_checksum(const unsigned char *bytes, int count) {
    unsigned sum = 0x$k;
    for (int i = 0; i < count; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum & 1 ? sum >> 1 ^ 0xA001u : sum >> 1;
    }
    return sum;
}

static int ${p}_encode(unsigned char *frame, int kind, int payload) {
    int length = 0;
    frame[length++] = 0x7E;
    frame[length++] = (unsigned char)kind;
    for (int shift = 24; shift >= 0; shift -= 8)
        frame[length++] = (unsigned char)(payload >> shift);
    unsigned sum = ${p}_checksum(frame, length);
    frame[length++] = (unsigned char)(sum >> 8);
    frame[length++] = (unsigned char)sum;
    return length;
}

static int ${p}_decode(const unsigned char *frame, int length, int *payload) {
    if (length < 8 || frame[0] != 0x7E)
        return -1;
    unsigned sum = ${p}_checksum(frame, length - 2);
    if (frame[length - 2] != (unsigned char)(sum >> 8) || frame[length - 1] != (unsigned char)sum)
        return -2;
    *payload = 0;
    for (int i = 2; i < 6; i++)
        *payload = *payload << 8 | frame[i];
    return frame[1];
}

static int ${p}_control(int argument) {
    unsigned char frame[16];
    int payload = 0, length = ${p}_encode(frame, argument & 0x7F, argument * $n);
    return ${p}_decode(frame, length, &payload) < 0 ? -1 : payload;
}

static void ${p}_interrupt(int status) {
    unsigned char frame[16];
    int payload, length = ${p}_encode(frame, 1, status);
    if (${p}_decode(frame, length, &payload) == 1 && payload != status)
        abort();
}
""",
    ("control", "interrupt"),
)

QUEUE: Final = Part(
    """
/* $p: requests on the heap in a list under its lock; who takes one out has it alone. */
struct ${p}_request {
    int kind, size;
    struct ${p}_request *next;
};
static pthread_mutex_t ${p}_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ${p}_request *${p}_first;
static int ${p}_length;

static int ${p}_control(int argument) {
    struct ${p}_request *request = malloc(sizeof *request);
    if (request == NULL)
        return -1;
    request->kind = argument % $k;
    request->size = argument;
    pthread_mutex_lock(&${p}_lock);
    request->next = ${p}_first;
    ${p}_first = request;
    ${p}_length++;
    pthread_mutex_unlock(&${p}_lock);
    return 0;
}

static int ${p}_worker(int round) {
    pthread_mutex_lock(&${p}_lock);
    struct ${p}_request *request = ${p}_first;
    if (request != NULL) {
        ${p}_first = request->next;
        ${p}_length--;
    }
    pthread_mutex_unlock(&${p}_lock);
    if (request == NULL)
        return 0;
    int size = request->kind == 0 ? request->size : $n + round;
    free(request);
    return size;
}
""",
    ("control", "worker"),
)
