"""Pure functions: the part of a program that computes and shares nothing.

About a third of the generated text. Each family is an outer function of two unsigned operands and,
mostly, inner functions over buffers, strings, local structs or constant tables. A function is made
when somebody wants to call one and those that exist have been called from enough places, so that
the number of functions grows with the program and each is called from one to four places.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from bench.synth.fragments import Surroundings
from bench.synth.writing import Writer, choose_lock_style

_FOLD = """
static unsigned long @(unsigned long a, unsigned long b)
{
$work(a, b)
    unsigned long sum = $E(a, b);
    unsigned i;
    for (i = 0; i < $N(3, 9); i++) {
        sum = $e(sum, a);
        if (sum & $N(1, 15))
            sum += $e(b, sum);
        else
            sum ^= i * $N(3, 99)u;
    }
    return sum + $E(a, sum);
}
"""

_CHOICE = """
static unsigned long @(unsigned long a, unsigned long b)
{
$work(a, b)
    unsigned long r;
    switch (a % $N(4, 5)) {
    case 0:
        r = $E(a, b);
        break;
    case 1:
        r = $E(b);
        break;
    case 2:
        if (b > $N(10, 900))
            return $e(a, b);
        r = $E(a);
        break;
    case 3:
        r = $e(b, a);
        break;
    default:
        r = a + b;
        break;
    }
    return r % $N(200, 9000)u;
}
"""

_BUFFER = """
static unsigned @_sum(const unsigned char *p, size_t size)
{
    unsigned lo = 1, hi = $N(0, 9);
    while (size-- > 0) {
        lo = (lo + *p++) % 65521u;
        hi = (hi + lo) % 65521u;
    }
    return (hi << 16) | lo;
}
static size_t @_fill(unsigned char *p, size_t size, unsigned long seed)
{
    size_t i;
    for (i = 0; i < size; i++) {
        p[i] = (unsigned char)(seed >> (i & 7));
        seed = $e(seed);
    }
    return i;
}
static unsigned long @(unsigned long a, unsigned long b)
{
$work(a, b)
    unsigned char buffer[$N(16, 48)];
    size_t used;
    memset(buffer, 0, sizeof buffer);
    used = @_fill(buffer, sizeof buffer / 2, $E(a, b));
    if (b & 1)
        memmove(buffer + used / 2, buffer, used / 2);
    return @_sum(buffer, sizeof buffer);
}
"""

_STRING = """
static int @_is_word(int c)
{
    return (c >= 'a' && c <= 'z') || c == '_' || (c >= '0' && c <= '9');
}
static unsigned @_words(const char *s)
{
    unsigned count = 0;
    int inside = 0;
    for (; *s != '\\0'; s++) {
        if (@_is_word((unsigned char)*s)) {
            if (!inside)
                count++;
            inside = 1;
        } else {
            inside = 0;
        }
    }
    return count;
}
static unsigned long @(unsigned long a, unsigned long b)
{
$work(a, b)
    char line[48];
    int size = snprintf(line, sizeof line, "$word %lu %lu", a % 1000u, $E(a, b) % 100u);
    if (size < 0)
        return b;
    return @_words(line) + strlen(line);
}
"""

_SCANNER = """
struct @_scan {
    const char *at;
    unsigned line;
    unsigned errors;
};
static int @_next(struct @_scan *s)
{
    int c = (unsigned char)*s->at;
    if (c == '\\0')
        return -1;
    s->at++;
    if (c == '\\n')
        s->line++;
    return c;
}
static unsigned long @_number(struct @_scan *s, int c)
{
    unsigned long value = 0;
    while (c >= '0' && c <= '9') {
        value = value * 10u + (unsigned long)(c - '0');
        c = @_next(s);
    }
    if (c != -1 && c != ';')
        s->errors++;
    return value;
}
static unsigned long @(unsigned long a, unsigned long b)
{
$work(a, b)
    struct @_scan scan;
    unsigned long sum = 0;
    int c;
    scan.at = a & 1 ? "$word=$N(1, 99);$N(10, 999);\\n" : "$N(1, 50);\\nend";
    scan.line = 1;
    scan.errors = 0;
    while ((c = @_next(&scan)) != -1) {
        switch (c) {
        case '=':
        case ';':
            sum += b;
            break;
        case '\\n':
            sum ^= scan.line;
            break;
        default:
            if (c >= '0' && c <= '9')
                sum += @_number(&scan, c);
            break;
        }
    }
    return sum + scan.errors * $E(a, b);
}
"""

_RECORD = """
struct @_range {
    long from;
    long to;
};
struct @_record {
    struct @_range key;
    struct @_range span[$N(3, 4)];
    int used;
};
static void @_clamp(struct @_range *r, long low, long high)
{
    if (r->from < low)
        r->from = low;
    if (r->to > high)
        r->to = high;
    if (r->to < r->from)
        r->to = r->from;
}
static long @_width(const struct @_record *r)
{
    long width = r->key.to - r->key.from;
    int i;
    for (i = 0; i < r->used; i++)
        width += r->span[i].to - r->span[i].from;
    return width;
}
static unsigned long @(unsigned long a, unsigned long b)
{
$work(a, b)
    struct @_record r;
    r.key.from = (long)(a % 100u);
    r.key.to = (long)($E(a, b) % 300u);
    @_clamp(&r.key, $N(0, 20), $N(100, 250));
    for (r.used = 0; r.used < 3; r.used++) {
        r.span[r.used].from = r.key.from + r.used;
        r.span[r.used].to = (long)($e(b) % 500u);
        @_clamp(&r.span[r.used], r.key.from, $N(300, 400));
    }
    return (unsigned long)@_width(&r);
}
"""

_TABLE = """
static const unsigned short @_weights[$size] = {$numbers};
static const char *const @_names[4] = {"$word", "$word", "$word", "$word"};
static unsigned @_weigh(const char *name)
{
    unsigned i, sum = 0;
    for (i = 0; name[i] != '\\0'; i++)
        sum += @_weights[((unsigned)name[i] + i) % $size];
    return sum;
}
static unsigned long @(unsigned long a, unsigned long b)
{
$work(a, b)
    const char *name = @_names[a % 4u];
    unsigned long sum = @_weigh(name);
    if (strcmp(name, @_names[b % 4u]) != 0)
        sum += $E(a, b);
    return sum + @_weights[b % $size];
}
"""

_RECURSION = """
static unsigned long @_step(unsigned long x, unsigned depth)
{
    if (depth == 0 || x < 2)
        return x;
    if (x & 1)
        return @_step($e(x) % 1000u, depth - 1) + 1;
    return @_step(x / 2, depth - 1);
}
static unsigned long @(unsigned long a, unsigned long b)
{
$work(a, b)
    return @_step($E(a, b) % 5000u, $N(6, 12));
}
"""

_SORT = """
static void @_order(unsigned *v, int size)
{
    int i, j;
    for (i = 1; i < size; i++) {
        unsigned key = v[i];
        for (j = i - 1; j >= 0 && v[j] > key; j--)
            v[j + 1] = v[j];
        v[j + 1] = key;
    }
}
static int @_find(const unsigned *v, int size, unsigned key)
{
    int low = 0, high = size;
    while (low < high) {
        int middle = (low + high) / 2;
        if (v[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
static unsigned long @(unsigned long a, unsigned long b)
{
$work(a, b)
    unsigned v[$size];
    int i;
    for (i = 0; i < $size; i++) {
        v[i] = (unsigned)(a % 997u);
        a = $e(a, b);
    }
    @_order(v, $size);
    return (unsigned long)@_find(v, $size, (unsigned)($E(b) % 997u)) + v[$size / 2];
}
"""

_HEAP_COPY = """
static char *@_join(const char *a, const char *b)
{
    size_t size = strlen(a) + strlen(b) + 2;
    char *text = malloc(size);
    if (text == NULL)
        abort();
    strcpy(text, a);
    strcat(text, "/");
    strcat(text, b);
    return text;
}
static unsigned long @(unsigned long a, unsigned long b)
{
$work(a, b)
    char *path = @_join(a & 1 ? "$word" : "$word", b & 1 ? "$word" : "tmp");
    unsigned long hash = $N(1, 9999);
    char *p;
    for (p = path; *p != '\\0'; p++)
        hash = (hash << 5) + hash + (unsigned char)*p;
    if (strchr(path, 'x') != NULL)
        hash ^= $E(a, b);
    free(path);
    return hash;
}
"""

_FAMILIES: tuple[tuple[str, str, int], ...] = (
    ("fold", _FOLD, 5),
    ("pick", _CHOICE, 5),
    ("buffer", _BUFFER, 2),
    ("words", _STRING, 2),
    ("scan", _SCANNER, 2),
    ("record", _RECORD, 2),
    ("table", _TABLE, 3),
    ("walk", _RECURSION, 1),
    ("rank", _SORT, 2),
    ("path", _HEAP_COPY, 1),
)

_PLACES = (1, 1, 1, 2, 2, 3, 4)
_MAX_WORK = 3000


@dataclass(slots=True)
class Computation:
    """A pure function that exists: how often it may still be called, and what a call costs at run time."""

    name: str
    work: int
    places_left: int


@dataclass(slots=True)
class ComputationPool:
    """Hands out pure functions to call; writes new ones into `text` when it runs out."""

    rng: Random
    statements: tuple[int, int]  # of a block of local work
    text: list[str] = field(default_factory=list)
    made: list[Computation] = field(default_factory=list)
    work: int = 0  # of the calls handed out so far

    def call(self, a: str, b: str) -> str:
        free = [entry for entry in self.made[-40:] if entry.places_left > 0]
        chosen = self.rng.choice(free) if free and self.rng.random() < 0.8 else self.make()
        chosen.places_left -= 1
        self.work += chosen.work
        return f"{chosen.name}({a}, {b})"

    def make(self) -> Computation:
        """Write one more family, callees first."""
        name, template, _ = self.rng.choices(_FAMILIES, [family[2] for family in _FAMILIES])[0]
        prefix = f"{name}{len(self.made) + 1}"
        entry = Computation(prefix, 0, 0)  # not to be called while it is being written
        self.made.append(entry)
        before = self.work
        around = Surroundings(prefix, False, self.rng, self.statements)
        writer = Writer(
            self.rng, prefix, self.call, lambda _: None, choose_lock_style(self.rng), around, calls_rate=0.15
        )
        size = self.rng.choice((8, 12, 16))
        text = writer.render(
            template,
            {"size": str(size), "numbers": ", ".join(str(self.rng.randint(1, 999)) for _ in range(size))},
        )
        self.text.append("\n".join((*around.definitions, *around.functions, text.strip())) + "\n")
        entry.work = 150 + self.work - before
        self.work = before
        entry.places_left = self.rng.choice(_PLACES) if entry.work < _MAX_WORK else 1
        return entry
