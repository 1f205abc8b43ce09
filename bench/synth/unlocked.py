"""Patterns that need no lock: read-only after start, atomic, per thread, or used by one thread only."""

from __future__ import annotations

from bench.synth.patterns import Extra, Pattern, Plant
from bench.synth.writing import RACE_MARK

CONFIG = Pattern(
    noun="config",
    weight=4,
    text="""
struct @_options {
    unsigned width;
    unsigned depth;
    long weights[8];
    const char *title;
    char path[24];
};
static struct @_options @_options;
static const char *const @_keys[4] = {"width", "depth", "$word", "$word"};
static int @_debug;
static unsigned long @_asked;
static void @_set(struct @_options *o, const char *key, unsigned value)
{
    int i;
    for (i = 0; i < 4; i++)
        if (strcmp(key, @_keys[i]) == 0)
            break;
    switch (i) {
    case 0:
        o->width = value;
        break;
    case 1:
        o->depth = value;
        break;
    default:
        o->weights[(value + (unsigned)i) % 8u] = (long)value;
        break;
    }
}
static long @_area(unsigned long n)
{
    unsigned long area = (unsigned long)@_options.width * @_options.depth;
    $count
    if (@_debug)
        return (long)area;
    return (long)($E(area, n) % 999u);
}
static long @_weight(unsigned long n)
{
    const struct @_options *o = &@_options;
    long sum = 0;
    unsigned i;
    for (i = 0; i < o->depth % 8u; i++)
        sum += o->weights[(n + i) % 8u];
    return sum + (long)strlen(o->title);
}
""",
    apis=("@_area({n})", "@_weight({n})"),
    extras=(
        Extra(
            """
static long @_where(unsigned long n)
{
    char path[32];
    int size = snprintf(path, sizeof path, "%s.%lu", @_options.path, n % 10u);
    if (size < 0 || strchr(path, '.') == NULL)
        return 0;
    return size;
}
""",
            "@_where({n})",
        ),
    ),
    init="""
    @_options.title = "$word";
    @_set(&@_options, "width", $N(3, 80));
    @_set(&@_options, "depth", $N(3, 25));
    @_set(&@_options, @_keys[2], $N(1, 9));
    strncpy(@_options.path, "$word", sizeof @_options.path - 1);
    @_debug = $N(0, 1);
    @_asked = $N(0, 9);
""",
    report="return (long)@_options.width + (long)@_asked;",
    parts={"count": ""},
    plants=(Plant("late-write", "@_asked", {"count": f"@_asked++; {RACE_MARK}"}, ("@_area(n)",)),),
)

GAUGE = Pattern(
    noun="gauge",
    weight=3,
    text="""
static atomic_long @_value;
static atomic_int @_flags;
static long @_events;
static long @_bump(unsigned long n)
{
    long old = atomic_fetch_add(&@_value, (long)($E(n) % 9u));
    __atomic_fetch_add(&@_events, 1, __ATOMIC_SEQ_CST);
    if (old > $N(20, 90))
        atomic_fetch_or_explicit(&@_flags, 1 << (n % 8u), memory_order_release);
    return old;
}
static long @_peek(void)
{
    if (atomic_load_explicit(&@_flags, memory_order_acquire) & $N(1, 7))
        return atomic_load(&@_value);
    return $load
}
""",
    apis=("@_bump({n})", "@_peek()"),
    extras=(
        Extra(
            """
static long @_cap(unsigned long n)
{
    long limit = (long)(n % $N(50, 500)) + 1;
    long old = atomic_load_explicit(&@_value, memory_order_relaxed);
    while (old > limit)
        if (atomic_compare_exchange_weak(&@_value, &old, limit))
            return 1;
    return 0;
}
""",
            "@_cap({n})",
        ),
    ),
    init="atomic_init(&@_value, $N(0, 9));",
    report="return atomic_load(&@_value) + @_events;",
    parts={"load": "__atomic_load_n(&@_events, __ATOMIC_RELAXED);"},
    plants=(
        Plant("plain-access", "@_events", {"load": f"@_events; {RACE_MARK}"}, ("@_peek()", "@_bump(n)", "@_peek()")),
    ),
)

SLOTS = Pattern(
    noun="slots",
    weight=3,
    text="""
struct @_slot {
    long runs;
    long best;
    unsigned long trail[4];
};
static struct @_slot @_slots[WORKERS];
static void @_leave(struct @_slot *s, unsigned long n)
{
    s->trail[(unsigned long)s->runs % 4u] = $E(n);
    s->runs++;
}
static long @_step(struct worker *self, unsigned long n)
{
    struct @_slot *s = &@_slots[self->id];
    long value = (long)(n % $N(20, 200));
    if (value > s->best)
        s->best = value;
    @_leave(s, n);
    $share
    return s->runs;
}
""",
    apis=("@_step({self}, {n})",),
    extras=(
        Extra(
            """
static long @_recall(struct worker *self)
{
    const struct @_slot *s = &@_slots[self->id];
    unsigned long sum = 0;
    int i;
    for (i = 0; i < 4; i++)
        sum += s->trail[i] & 15u;
    return (long)sum + s->best;
}
""",
            "@_recall({self})",
        ),
    ),
    report="""
    long sum = 0;
    int i;
    for (i = 0; i < WORKERS; i++)
        sum += @_slots[i].runs + @_slots[i].best;
    return sum;
""",
    parts={"share": ""},
    plants=(
        Plant(
            "foreign-slot",
            "@_slots[*].best",
            {"share": f"@_slots[(self->id + 1) % WORKERS].best++; {RACE_MARK}"},
            ("@_step(self, n)",),
        ),
    ),
)

LOCAL = Pattern(
    noun="local",
    weight=2,
    text="""
static _Thread_local unsigned long @_state;
static _Thread_local char @_text[24];
static const char @_digits[] = "0123456789abcdef";
static char *@_hex(unsigned long n)
{
    char *p = @_text + sizeof @_text - 1;
    *p = '\\0';
    do {
        *--p = @_digits[n % 16u];
        n /= 16u;
    } while (n != 0 && p > @_text);
    return p;
}
static long @_draw(unsigned long n)
{
    if (@_state == 0)
        @_state = $E(n) | 1u;
    @_state = @_state * 1103515245u + 12345u;
    return (long)(@_state >> 16 & 1023u);
}
static long @_show(unsigned long n)
{
    const char *s = @_hex($E(n) + @_state);
    return (long)strlen(s) + s[0];
}
""",
    apis=("@_draw({n})", "@_show({n})"),
)

ONCE = Pattern(
    noun="once",
    weight=2,
    text="""
static pthread_once_t @_control = PTHREAD_ONCE_INIT;
static unsigned *@_squares;
static unsigned @_made;
static void @_build(void)
{
    unsigned i;
    @_squares = malloc($size * sizeof *@_squares);
    if (@_squares == NULL)
        abort();
    for (i = 0; i < $size; i++)
        @_squares[i] = i * i + $N(1, 9);
    @_made++;
}
static long @_square(unsigned long n)
{
    pthread_once(&@_control, @_build);
    return (long)@_squares[$E(n) % $size];
}
""",
    apis=("@_square({n})",),
    report="return @_made;",
    parts={"size": "24"},
)

PUBLISH = Pattern(
    noun="plan",
    weight=1,
    text="""
struct @_plan {
    unsigned version;
    long steps[5];
};
static struct @_plan *@_current;
static pthread_mutex_t @_guard = PTHREAD_MUTEX_INITIALIZER;
static struct @_plan *@_draft(unsigned long n)
{
    struct @_plan *p = $alloc(sizeof *p);
    int i;
    if (p == NULL)
        abort();
    p->version = 1;
    for (i = 0; i < 5; i++)
        p->steps[i] = (long)($e(n) % 80u) + i;
    return p;
}
static const struct @_plan *@_get(unsigned long n)
{
    struct @_plan *p = $load
    if (p != NULL)
        return p;
    pthread_mutex_lock(&@_guard);
    p = @_current;
    if (p == NULL) {
        p = @_draft(n);
        $store
    }
    pthread_mutex_unlock(&@_guard);
    return p;
}
static long @_follow(unsigned long n)
{
    const struct @_plan *p = @_get(n);
    long sum = p->version;
    int i;
    for (i = 0; i < 5; i++)
        sum += p->steps[i];
    return sum + (long)($E(n) & 1u);
}
""",
    apis=("@_follow({n})",),
    report="return @_current != NULL ? @_current->steps[0] : 0;",
    parts={
        "load": "__atomic_load_n(&@_current, __ATOMIC_ACQUIRE);",
        "store": "__atomic_store_n(&@_current, p, __ATOMIC_RELEASE);",
    },
    plants=(
        Plant(
            "double-checked",
            "@_current",
            {"load": f"@_current; {RACE_MARK}", "store": f"@_current = p; {RACE_MARK}"},
            ("@_follow(n)",),
        ),
    ),
)

MACHINE = Pattern(
    noun="machine",
    weight=2,
    confined=True,
    text="""
enum @_mode { @_IDLE, @_READING, @_QUOTED, @_FAILED };
static enum @_mode @_mode;
static char @_word[20];
static unsigned @_used;
static unsigned long @_words;
static void @_emit(void)
{
    if (@_used > 0) {
        @_word[@_used] = '\\0';
        @_words += strlen(@_word);
        @_used = 0;
    }
}
static void @_feed(int c)
{
    switch (@_mode) {
    case @_IDLE:
        if (c == '"')
            @_mode = @_QUOTED;
        else if (c != ' ')
            @_mode = @_READING;
        break;
    case @_READING:
        if (c == ' ') {
            @_emit();
            @_mode = @_IDLE;
        }
        break;
    case @_QUOTED:
        if (c == '"')
            @_mode = @_IDLE;
        break;
    case @_FAILED:
        return;
    }
    if (@_used < sizeof @_word - 1)
        @_word[@_used++] = (char)c;
    else
        @_mode = @_FAILED;
}
static long @_parse(unsigned long n)
{
    char line[40];
    const char *p;
    snprintf(line, sizeof line, "$word \\"%lu\\" $word ", $E(n) % 100u);
    for (p = line; *p != '\\0'; p++)
        @_feed((unsigned char)*p);
    if (@_mode == @_FAILED) {
        @_mode = @_IDLE;
        @_used = 0;
    }
    return (long)@_words;
}
""",
    apis=("@_parse({n})",),
    init="@_mode = @_IDLE;",
    report="return (long)@_words + @_word[0];",
)

GRID = Pattern(
    noun="grid",
    weight=2,
    confined=True,
    text="""
struct @_cell {
    int kind;
    long value;
};
static struct @_cell @_cells[4][6];
static long @_moves;
static struct @_cell *@_cursor;
static struct @_cell *@_at(unsigned row, unsigned column)
{
    return &@_cells[row % 4u][column % 6u];
}
static void @_swap(struct @_cell *a, struct @_cell *b)
{
    struct @_cell t = *a;
    *a = *b;
    *b = t;
    @_moves++;
}
static long @_shift(unsigned long n)
{
    struct @_cell *c = @_at((unsigned)n, (unsigned)($E(n)));
    if (@_cursor == NULL)
        @_cursor = &@_cells[0][0];
    if (c->kind == @_cursor->kind)
        c->value += $N(1, 9);
    else
        @_swap(c, @_cursor);
    @_cursor = c;
    return c->value;
}
""",
    apis=("@_shift({n})",),
    extras=(
        Extra(
            """
static long @_fold(unsigned long n)
{
    long sum = 0;
    unsigned row, column;
    for (row = 0; row < 4; row++)
        for (column = 0; column < 6; column++)
            if (@_cells[row][column].kind != (int)(n % 3u))
                sum += @_cells[row][column].value;
    return sum;
}
""",
            "@_fold({n})",
        ),
    ),
    init="""
    unsigned i;
    for (i = 0; i < 24; i++) {
        @_cells[i / 6][i % 6].kind = (int)(i % 3u);
        @_cells[i / 6][i % 6].value = $N(1, 50);
    }
""",
    report="return @_moves + @_cells[1][1].value;",
)

STACK = Pattern(
    noun="stack",
    weight=2,
    confined=True,
    text="""
struct @_frame {
    struct @_frame *below;
    long value;
};
static struct @_frame *@_top;
static unsigned @_depth;
static void @_push(long value)
{
    struct @_frame *f = $alloc(sizeof *f);
    if (f == NULL)
        abort();
    f->below = @_top;
    f->value = value;
    @_top = f;
    @_depth++;
}
static long @_pop(void)
{
    struct @_frame *f = @_top;
    long value;
    if (f == NULL)
        return 0;
    value = f->value;
    @_top = f->below;
    @_depth--;
    free(f);
    return value;
}
static long @_evaluate(unsigned long n)
{
    unsigned i;
    for (i = 0; i < $N(3, 8); i++) {
        switch ((n >> i) & 3u) {
        case 0:
            @_push((long)(n % 50u));
            break;
        case 1:
            @_push(@_pop() + @_pop());
            break;
        case 2:
            @_push(@_pop() % 1000 - (long)i);
            break;
        default:
            if (@_depth > 4)
                @_pop();
            break;
        }
    }
    return @_pop() + (long)($E(n) & 7u);
}
""",
    apis=("@_evaluate({n})",),
    report="return @_depth + (@_top != NULL ? @_top->value : 0);",
)

PATTERNS = (CONFIG, GAUGE, SLOTS, LOCAL, ONCE, PUBLISH)
CONFINED = (MACHINE, GRID, STACK)
