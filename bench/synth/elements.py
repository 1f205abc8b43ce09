"""Patterns whose state is a table of elements, under a lock for each or a lock for readers and writers."""

from __future__ import annotations

from bench.synth.patterns import Extra, Pattern, Plant
from bench.synth.writing import RACE_MARK

ACCOUNT = Pattern(
    noun="account",
    weight=4,
    text="""
struct @_account {
    $locktype lock;
    int id;
    long balance;
    struct {
        int used;
        long last[4];
    } history;
};
static struct @_account @_all[$size];
static long @_fee;
$wrappers(@_account)
static struct @_account *@_find(unsigned long key)
{
    return &@_all[key % $size];
}
static void @_remember(struct @_account *p, long amount)
{
    p->history.last[p->history.used % 4] = amount;
    p->history.used++;
}
static long @_deposit(unsigned long n)
{
    struct @_account *p = @_find($who);
    long amount = (long)(n % 100u) - @_fee;
    $lock(p)
    p->balance += amount;
    @_remember(p, amount);
    $unlock(p)
    return amount;
}
static long @_balance(unsigned long n)
{
    struct @_account *p = @_find(n);
    $other
    long balance;
    $blockit
    balance = p->balance; $race
    $bunlockit
    return balance;
}
""",
    apis=("@_deposit({n})", "@_balance({n})"),
    extras=(
        Extra(
            """
static long @_transfer(unsigned long n)
{
    unsigned long from = n % $size, to = $E(n) % $size;
    struct @_account *a = @_find(from < to ? from : to);
    struct @_account *b = @_find(from < to ? to : from);
    long amount = $N(1, 50) + ($X(n) & 3);
    if (a == b)
        return 0;
    $lock(a)
    $lock(b)
    a->balance -= amount;
    b->balance += amount;
    @_remember(a, -amount);
    @_remember(b, amount);
    $unlock(b)
    $unlock(a)
    return amount;
}
""",
            "@_transfer({n})",
        ),
        Extra(
            """
static long @_audit(void)
{
    long sum = 0;
    int i, k;
    for (i = 0; i < $size; i++) {
        struct @_account *p = &@_all[i];
        $lock(p)
        sum += p->balance;
        for (k = 0; k < 4 && k < p->history.used; k++)
            sum += p->history.last[k] > 0 ? 1 : -1;
        $unlock(p)
    }
    return sum;
}
""",
            "@_audit()",
        ),
    ),
    init="""
    int i;
    @_fee = $N(1, 3);
    for (i = 0; i < $size; i++) {
        $lockinit(&@_all[i])
        @_all[i].id = i;
        @_all[i].balance = 100 * i;
        @_all[i].history.used = 0;
    }
""",
    report="""
    long sum = 0;
    int i;
    for (i = 0; i < $size; i++)
        sum += @_all[i].balance + @_all[i].id;
    return sum;
""",
    parts={"who": "$E(n)", "other": "", "blockit": "$lock(p)", "bunlockit": "$unlock(p)", "race": "", "size": "6"},
    plants=(
        Plant(
            "wrong-lock",
            "@_all[*].balance",
            {
                "who": "n",
                "other": "struct @_account *q = @_find(n + 1);",
                "blockit": "$lock(q)",
                "bunlockit": "$unlock(q)",
                "race": RACE_MARK,
            },
            ("@_deposit(n)", "@_balance(n)"),
        ),
        Plant(
            "missing-lock",
            "@_all[*].balance",
            {"who": "n", "blockit": "", "bunlockit": "", "race": RACE_MARK},
            ("@_deposit(n)", "@_balance(n)"),
        ),
    ),
)


BUCKETS = Pattern(
    noun="buckets",
    weight=4,
    text="""
struct @_entry {
    struct @_entry *next;
    char key[16];
    long value;
};
static pthread_mutex_t @_locks[$size];
static struct @_entry *@_heads[$size];
static long @_hits[$size];
static unsigned @_hash(const char *key)
{
    unsigned h = $N(1, 9999);
    while (*key != '\\0')
        h = h * 33u + (unsigned char)*key++;
    return h % $size;
}
static struct @_entry *@_seek(struct @_entry *e, const char *key)
{
    while (e != NULL && strcmp(e->key, key) != 0)
        e = e->next;
    return e;
}
static struct @_entry *@_new(const char *key)
{
    struct @_entry *e = $alloc(sizeof *e);
    if (e == NULL)
        abort();
    memset(e, 0, sizeof *e);
    strncpy(e->key, key, sizeof e->key - 1);
    return e;
}
static long @_put(unsigned long n)
{
    char key[12];
    struct @_entry *e;
    unsigned h;
    snprintf(key, sizeof key, "k%lu", $key % 40u);
    h = @_hash(key);
    pthread_mutex_lock(&@_locks[h]);
    e = @_seek(@_heads[h], key);
    if (e == NULL) {
        e = @_new(key);
        e->next = @_heads[h];
        @_heads[h] = e;
    }
    e->value += (long)(n & 15);
    @_hits[h]++;
    pthread_mutex_unlock(&@_locks[h]);
    return (long)h;
}
static long @_get(unsigned long n)
{
    char key[12];
    const struct @_entry *e;
    long value = -1;
    unsigned h;
    snprintf(key, sizeof key, "k%lu", n % 40u);
    h = @_hash(key);
    pthread_mutex_lock(&@_locks[$which]);
    e = @_seek(@_heads[h], key); $race
    if (e != NULL)
        value = e->value;
    pthread_mutex_unlock(&@_locks[$which]);
    return value;
}
""",
    apis=("@_put({n})", "@_get({n})"),
    extras=(
        Extra(
            """
static long @_trim(unsigned long n)
{
    unsigned h = (unsigned)(n % $size);
    long removed = 0;
    struct @_entry **link, *e;
    pthread_mutex_lock(&@_locks[h]);
    for (link = &@_heads[h]; (e = *link) != NULL;) {
        if (e->value > $N(20, 60)) {
            *link = e->next;
            free(e);
            removed++;
        } else {
            link = &e->next;
        }
    }
    pthread_mutex_unlock(&@_locks[h]);
    return removed + (long)($E(n) & 1);
}
""",
            "@_trim({n})",
        ),
    ),
    init="""
    int i;
    for (i = 0; i < $size; i++)
        pthread_mutex_init(&@_locks[i], NULL);
""",
    report="""
    long sum = 0;
    int i;
    const struct @_entry *e;
    for (i = 0; i < $size; i++) {
        sum += @_hits[i];
        for (e = @_heads[i]; e != NULL; e = e->next)
            sum += e->value;
    }
    return sum;
""",
    parts={"key": "$E(n)", "which": "h", "race": "", "size": "8"},
    plants=(
        Plant(
            "wrong-lock",
            "@_heads[*]",
            {"key": "n", "which": "(h + 1) % $size", "race": RACE_MARK},
            ("@_put(n)", "@_get(n)"),
        ),
    ),
)


CACHE = Pattern(
    noun="cache",
    weight=3,
    text="""
struct @_page {
    unsigned long key;
    long value;
    unsigned uses;
};
static pthread_rwlock_t @_gate = PTHREAD_RWLOCK_INITIALIZER;
static struct @_page @_pages[$size];
static unsigned @_misses;
static int @_index(unsigned long key)
{
    int i;
    for (i = 0; i < $size; i++)
        if (@_pages[i].key == key)
            return i;
    return -1;
}
static long @_read(unsigned long n)
{
    int i;
    long value = -1;
    pthread_rwlock_rdlock(&@_gate);
    i = @_index($key % 64u);
    if (i >= 0) {
        value = @_pages[i].value;
        $touch
    }
    pthread_rwlock_unlock(&@_gate);
    return value;
}
static long @_load(unsigned long n)
{
    unsigned long key = n % 64u;
    long value = (long)($E(n) % 777u);
    int i;
    pthread_rwlock_wrlock(&@_gate);
    i = @_index(key);
    if (i < 0) {
        i = (int)(key % $size);
        @_misses++;
        @_pages[i].key = key;
        @_pages[i].uses = 0;
    }
    @_pages[i].value = value;
    @_pages[i].uses++;
    pthread_rwlock_unlock(&@_gate);
    return value;
}
""",
    apis=("@_read({n})", "@_load({n})"),
    extras=(
        Extra(
            """
static long @_coldest(void)
{
    unsigned least = 1000000;
    int i, best = 0;
    pthread_rwlock_rdlock(&@_gate);
    for (i = 0; i < $size; i++) {
        if (@_pages[i].uses < least) {
            least = @_pages[i].uses;
            best = i;
        }
    }
    pthread_rwlock_unlock(&@_gate);
    return best;
}
""",
            "@_coldest()",
        ),
    ),
    init="""
    int i;
    for (i = 0; i < $size; i++)
        @_pages[i].key = (unsigned long)i * $N(2, 5);
""",
    report="return @_pages[0].value + (long)@_misses;",
    parts={"key": "$e(n)", "touch": "", "size": "12"},
    plants=(
        Plant(
            "write-under-read-lock",
            "@_pages[*].uses",
            {"key": "n", "touch": f"@_pages[i].uses++; {RACE_MARK}"},
            ("@_load(n)", "@_read(n)", "@_read(n)"),
        ),
    ),
)

PATTERNS = (ACCOUNT, BUCKETS, CACHE)
