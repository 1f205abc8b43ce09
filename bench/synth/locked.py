"""Patterns whose state is global and guarded by one lock."""

from __future__ import annotations

from bench.synth.patterns import Extra, Pattern, Plant
from bench.synth.writing import RACE_MARK

STATS = Pattern(
    noun="stats",
    weight=4,
    text="""
struct @_figures {
    long count;
    long total;
    long low;
    long high;
    long spread[$buckets];
};
static $locktype @_guard$lockstatic;
static struct @_figures @_now;
static const long @_limits[$buckets] = {$limits};
static long @_alarms;
$wrappers()
static int @_bucket(long value)
{
    int i;
    for (i = 0; i < $buckets - 1; i++)
        if (value < @_limits[i])
            break;
    return i;
}
static void @_note(struct @_figures *f, long value)
{
    f->count++;
    f->total += value;
    if (value < f->low)
        f->low = value;
    if (value > f->high)
        f->high = value;
    f->spread[@_bucket(value)]++;
}
static long @_add(unsigned long n)
{
    long value = (long)($E(n) % 1000u);
    $lock()
    @_note(&@_now, value);
    if (value > $N(700, 990))
        @_alarms++;
    $unlock()
    return value;
}
static long @_mean(void)
{
    long count, total;
    $mlock
    count = @_now.count;
    total = @_now.total; $race
    $munlock
    return count != 0 ? total / count : 0;
}
""",
    apis=("@_add({n})", "@_mean()"),
    extras=(
        Extra(
            """
static struct @_figures @_copy(void)
{
    struct @_figures copy;
    $lock()
    copy = @_now;
    $unlock()
    return copy;
}
static long @_skew(unsigned long n)
{
    struct @_figures f = @_copy();
    long sum = 0;
    int i;
    for (i = 0; i < $buckets; i++)
        sum += f.spread[i] * @_limits[i];
    return f.count > 0 ? sum / f.count : (long)($E(n) & 31);
}
""",
            "@_skew({n})",
        ),
        Extra(
            """
static long @_calm(unsigned long n)
{
    long alarms = 0;
    $lock()
    if (@_alarms > (long)(n % $N(4, 40))) {
        alarms = @_alarms + $X(n);
        @_alarms = 0;
    }
    $unlock()
    return alarms;
}
""",
            "@_calm({n})",
        ),
    ),
    init="""
    $lockinit()
    @_now.low = 1000;
    @_now.high = -1;
""",
    report="return @_now.total + @_now.low + @_now.spread[0] + @_alarms;",
    parts={"mlock": "$lock()", "munlock": "$unlock()", "race": "", "buckets": "5", "limits": "10, 50, 100, 500, 1000"},
    plants=(
        Plant("missing-lock", "@_now.total", {"mlock": "", "munlock": "", "race": RACE_MARK}, ("@_add(n)", "@_mean()")),
    ),
)


JOURNAL = Pattern(
    noun="journal",
    weight=3,
    text="""
struct @_line {
    char text[32];
    unsigned level;
    unsigned long stamp;
};
static $locktype @_guard$lockstatic;
static struct @_line @_lines[$size];
static unsigned @_next;
static unsigned @_dropped;
static const char *const @_levels[3] = {"debug", "info", "alert"};
$wrappers()
static struct @_line *@_slot(void)
{
    struct @_line *line = &@_lines[@_next % $size];
    @_next++;
    if (@_next > $size)
        @_dropped++;
    return line;
}
static long @_write(unsigned long n)
{
    char text[24];
    unsigned level = (unsigned)($E(n) % 3u);
    struct @_line *line;
    snprintf(text, sizeof text, "%s %lu", @_levels[level], n % 10000u);
    $lock()
    line = @_slot();
    strncpy(line->text, text, sizeof line->text - 1);
    line->level = level;
    line->stamp = n;
    $unlock()
    return (long)level;
}
static long @_search(unsigned long n)
{
    long found = 0;
    unsigned i;
    $lock()
    for (i = 0; i < $size; i++)
        if (@_lines[i].level == n % 3u && strstr(@_lines[i].text, "$N(1, 9)") != NULL)
            found++;
    $unlock()
    return found;
}
static long @_lost(void)
{
    unsigned lost;
    $plock
    lost = @_dropped; $race
    $punlock
    return (long)lost;
}
""",
    apis=("@_write({n})", "@_search({n})", "@_lost()"),
    extras=(
        Extra(
            """
static long @_forget(unsigned long n)
{
    struct @_line *line;
    $lock()
    line = &@_lines[n % $size];
    memset(line->text, 0, sizeof line->text);
    if (line->level > 0)
        line->level--;
    $unlock()
    return (long)($E(n) & 3);
}
""",
            "@_forget({n})",
        ),
    ),
    init="""
    $lockinit()
    memset(@_lines, 0, sizeof @_lines);
    @_next = $begin;
""",
    report="return (long)@_next + (long)@_dropped + @_lines[0].text[0];",
    parts={"plock": "$lock()", "punlock": "$unlock()", "race": "", "begin": "0", "size": "16"},
    plants=(
        Plant(
            "missing-lock",
            "@_dropped",
            {"plock": "", "punlock": "", "race": RACE_MARK, "begin": "$size"},
            ("@_write(n)", "@_lost()"),
        ),
    ),
)


METER = Pattern(
    noun="meter",
    weight=2,
    text="""
static pthread_mutex_t @_guard = PTHREAD_MUTEX_INITIALIZER;
static long @_level;
static long @_peak;
static long @_busy;
static long @_raise(unsigned long n)
{
    long level;
    if (pthread_mutex_trylock(&@_guard) != 0) {
        __atomic_fetch_add(&@_busy, 1, __ATOMIC_RELAXED);
        return -1;
    }
    @_level += (long)(n % $N(5, 15));
    if (@_level > @_peak)
        @_peak = @_level;
    level = @_level;
    pthread_mutex_unlock(&@_guard);
    return level;
}
static long @_drain(unsigned long n)
{
    long taken = (long)($E(n) % 5u);
    pthread_mutex_lock(&@_guard);
    if (@_level < $floor) {
        taken = @_level;
        pthread_mutex_unlock(&@_guard);
        return taken;
    }
    $early
    @_level -= taken; $race
    $late
    return taken + __atomic_load_n(&@_busy, __ATOMIC_RELAXED);
}
""",
    apis=("@_raise({n})", "@_drain({n})"),
    init="@_level = $N(1, 9);",
    report="return @_level + @_peak + @_busy;",
    parts={"floor": "taken", "early": "", "late": "pthread_mutex_unlock(&@_guard);", "race": ""},
    plants=(
        Plant(
            "unlocked-too-early",
            "@_level",
            {"floor": "-1000", "early": "pthread_mutex_unlock(&@_guard);", "late": "", "race": RACE_MARK},
            ("@_raise(n)", "@_drain(n)"),
        ),
    ),
)

PATTERNS = (STATS, JOURNAL, METER)
