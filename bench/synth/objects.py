"""Patterns whose state is in objects made at run time, reached through pointers."""

from __future__ import annotations

from bench.synth.patterns import Extra, Pattern, Plant
from bench.synth.writing import RACE_MARK

LIST = Pattern(
    noun="list",
    weight=4,
    text="""
struct @_node {
    struct @_node *next;
    struct @_node *previous;
    unsigned long key;
    long payload;
};
static struct @_node *@_first;
static struct @_node *@_last;
static long @_length;
static $locktype @_guard$lockstatic;
$wrappers()
static void @_link(struct @_node *node)
{
    node->previous = @_last;
    node->next = NULL;
    if (@_last != NULL)
        @_last->next = node;
    else
        @_first = node;
    @_last = node;
    @_length++;
}
static void @_unlink(struct @_node *node)
{
    if (node->previous != NULL)
        node->previous->next = node->next;
    else
        @_first = node->next;
    if (node->next != NULL)
        node->next->previous = node->previous;
    else
        @_last = node->previous;
    @_length--;
}
static long @_push(unsigned long n)
{
    struct @_node *node = $alloc(sizeof *node);
    if (node == NULL)
        abort();
    node->key = $E(n) % 100u;
    node->payload = (long)(n & 7);
    $lock()
    @_link(node);
    $unlock()
    return (long)(n & 7);
}
static long @_pop(void)
{
    struct @_node *node;
    long payload = -1;
    $lock()
    node = @_first;
    if (node != NULL)
        @_unlink(node);
    $unlock()
    if (node != NULL) {
        payload = node->payload;
        free(node);
    }
    return payload;
}
static long @_size(void)
{
    long size;
    $plock
    size = @_length; $race
    $punlock
    return size;
}
""",
    apis=("@_push({n})", "@_pop()", "@_size()"),
    extras=(
        Extra(
            """
static long @_total(unsigned long n)
{
    const struct @_node *node;
    long sum = 0;
    $lock()
    for (node = @_first; node != NULL; node = node->next)
        if (node->key > n % $N(10, 90))
            sum += node->payload;
    $unlock()
    return sum;
}
""",
            "@_total({n})",
        ),
        Extra(
            """
static struct @_node *@_seek(unsigned long key)
{
    struct @_node *node = @_last;
    while (node != NULL && node->key != key)
        node = node->previous;
    return node;
}
static long @_update(unsigned long n)
{
    struct @_node *node;
    long old = 0;
    $lock()
    node = @_seek($E(n) % 100u);
    if (node != NULL) {
        old = node->payload;
        node->payload = old + $N(1, 9) + ($X(n) & 1);
    }
    $unlock()
    return old;
}
""",
            "@_update({n})",
        ),
    ),
    init="$lockinit()",
    report="""
    const struct @_node *node;
    long sum = @_length;
    for (node = @_first; node != NULL; node = node->next)
        sum += node->payload;
    return sum;
""",
    parts={"plock": "$lock()", "punlock": "$unlock()", "race": ""},
    plants=(
        Plant("missing-lock", "@_length", {"plock": "", "punlock": "", "race": RACE_MARK}, ("@_push(n)", "@_size()")),
    ),
)


SESSION = Pattern(
    noun="session",
    weight=4,
    text="""
struct @_text {
    char data[24];
    size_t used;
};
struct @_session {
    unsigned id;
    $locktype lock;
    struct @_text in;
    struct @_text out;
    struct @_session *peer;
    long errors;
};
static struct @_session *@_all[$size];
static unsigned @_limit;
$wrappers(@_session)
static void @_append(struct @_text *t, const char *s, size_t size)
{
    if (t->used + size >= sizeof t->data) {
        t->used = 0;
        memset(t->data, 0, sizeof t->data);
    }
    memcpy(t->data + t->used, s, size);
    t->used += size;
}
static long @_receive(unsigned long n)
{
    struct @_session *p = @_all[$who % $size];
    char chunk[8];
    size_t size = 1 + n % 7u;
    memset(chunk, 'a' + (int)(n % 20u), sizeof chunk);
    $lock(p)
    @_append(&p->in, chunk, size);
    if (p->in.used > $limit)
        p->errors++;
    $unlock(p)
    return (long)size;
}
static long @_answer(unsigned long n)
{
    struct @_session *p = @_all[n % $size];
    long sent;
    $lock(p)
    @_append(&p->out, p->in.data, p->in.used < 8 ? p->in.used : 8);
    p->in.used = 0;
    sent = (long)p->out.used;
    $unlock(p)
    $flock
    if (p->errors > $N(3, 20)) $race
        p->errors = 0;
    $funlock
    return sent;
}
""",
    apis=("@_receive({n})", "@_answer({n})"),
    extras=(
        Extra(
            """
static long @_relay(unsigned long n)
{
    struct @_session *p = @_all[$E(n) % $size];
    struct @_session *q = p->peer;
    char chunk[6];
    $lock(p)
    memcpy(chunk, p->out.data, sizeof chunk);
    $unlock(p)
    $lock(q)
    @_append(&q->in, chunk, sizeof chunk);
    $unlock(q)
    return (long)q->id;
}
""",
            "@_relay({n})",
        ),
    ),
    init="""
    unsigned i;
    @_limit = $N(8, 20);
    for (i = 0; i < $size; i++) {
        struct @_session *p = calloc(1, sizeof *p);
        if (p == NULL)
            abort();
        p->id = i;
        $lockinit(p)
        p->peer = i > 0 ? @_all[i - 1] : p;
        @_all[i] = p;
    }
""",
    report="""
    long sum = 0;
    int i;
    for (i = 0; i < $size; i++) {
        sum += (long)@_all[i]->in.used + @_all[i]->errors;
        free(@_all[i]);
    }
    return sum;
""",
    parts={"flock": "$lock(p)", "funlock": "$unlock(p)", "race": "", "limit": "@_limit", "who": "$E(n)", "size": "5"},
    plants=(
        Plant(
            "missing-lock",
            "@_session.errors",
            {"flock": "", "funlock": "", "race": RACE_MARK, "who": "n", "limit": "@_limit % 1"},
            ("@_receive(n)", "@_answer(n)"),
        ),
    ),
)


DEVICE = Pattern(
    noun="device",
    weight=3,
    text="""
struct @_device;
struct @_ops {
    const char *name;
    long (*put)(struct @_device *, unsigned long);
    long (*get)(struct @_device *);
    void (*reset)(struct @_device *);
};
struct @_device {
    const struct @_ops *ops;
    $locktype lock;
    long state;
    unsigned long words[6];
    unsigned used;
};
$wrappers(@_device)
static long @_disk_put(struct @_device *p, unsigned long n)
{
    $lock(p)
    p->words[p->used % 6u] = $e(n);
    p->used++;
    p->state = 1 + ($X(n) & 1);
    $unlock(p)
    return 1;
}
static long @_disk_get(struct @_device *p)
{
    long word;
    $lock(p)
    word = (long)(p->words[p->used % 6u] & 255u);
    p->state++;
    $unlock(p)
    return word;
}
static long @_pipe_put(struct @_device *p, unsigned long n)
{
    $dlock
    p->state += (long)(n % $N(5, 50)); $race
    $dunlock
    return 2;
}
static long @_pipe_get(struct @_device *p)
{
    long state;
    $lock(p)
    state = p->state;
    p->state = 0;
    $unlock(p)
    return state;
}
static void @_clear(struct @_device *p)
{
    unsigned i;
    $lock(p)
    for (i = 0; i < 6; i++)
        p->words[i] = 0;
    p->used = 0;
    p->state = 0;
    $unlock(p)
}
static const struct @_ops @_disk = {"disk", @_disk_put, @_disk_get, @_clear};
static const struct @_ops @_pipe = {"pipe", @_pipe_put, @_pipe_get, @_clear};
static struct @_device @_devices[4];
static long @_send(unsigned long n)
{
    struct @_device *p = &@_devices[n % 4u];
    return p->ops->put(p, $E(n));
}
static long @_fetch(unsigned long n)
{
    struct @_device *p = &@_devices[n % 4u];
    if ($E(n) % $N(20, 40) == 0)
        p->ops->reset(p);
    return p->ops->get(p);
}
""",
    apis=("@_send({n})", "@_fetch({n})"),
    extras=(
        Extra(
            """
static long @_choose(const char *name)
{
    int i;
    for (i = 0; i < 4; i++)
        if (strcmp(@_devices[i].ops->name, name) == 0)
            return i;
    return -1;
}
static long @_ping(unsigned long n)
{
    long i = @_choose(n & 1 ? "pipe" : "disk");
    if (i < 0)
        return -1;
    return @_devices[i].ops->put(&@_devices[i], n);
}
""",
            "@_ping({n})",
        ),
    ),
    init="""
    int i;
    for (i = 0; i < 4; i++) {
        $lockinit(&@_devices[i])
        @_devices[i].ops = i % 2 == 0 ? &@_disk : &@_pipe;
        @_clear(&@_devices[i]);
    }
""",
    report="return @_devices[0].state + @_devices[1].state + (long)@_devices[2].used;",
    parts={"dlock": "$lock(p)", "dunlock": "$unlock(p)", "race": ""},
    plants=(
        Plant(
            "missing-lock",
            "@_devices[*].state",
            {"dlock": "", "dunlock": "", "race": RACE_MARK},
            ("@_send(2 * n + 1)", "@_fetch(2 * n + 1)"),
        ),
    ),
)


TREE = Pattern(
    noun="tree",
    weight=2,
    text="""
struct @_tree {
    struct @_tree *left;
    struct @_tree *right;
    unsigned key;
    long count;
};
static struct @_tree *@_root;
static unsigned @_height;
static $locktype @_guard$lockstatic;
$wrappers()
static struct @_tree *@_insert(struct @_tree *t, unsigned key, unsigned depth)
{
    if (t == NULL) {
        t = $alloc(sizeof *t);
        if (t == NULL)
            abort();
        t->left = NULL;
        t->right = NULL;
        t->key = key;
        t->count = 1;
        if (depth > @_height)
            @_height = depth;
        return t;
    }
    if (key < t->key)
        t->left = @_insert(t->left, key, depth + 1);
    else if (key > t->key)
        t->right = @_insert(t->right, key, depth + 1);
    else
        t->count++;
    return t;
}
static long @_weight(const struct @_tree *t)
{
    if (t == NULL)
        return 0;
    return t->count + @_weight(t->left) + @_weight(t->right);
}
static long @_record(unsigned long n)
{
    unsigned key = (unsigned)($E(n) % 64u);
    $lock()
    @_root = @_insert(@_root, key, 1);
    $unlock()
    return (long)key;
}
static long @_measure(void)
{
    long weight;
    $mlock
    weight = @_weight(@_root); $race
    $munlock
    return weight;
}
""",
    apis=("@_record({n})", "@_measure()"),
    init="$lockinit()",
    report="return @_weight(@_root) + (long)@_height;",
    parts={"mlock": "$lock()", "munlock": "$unlock()", "race": ""},
    plants=(
        Plant(
            "missing-lock", "@_root", {"mlock": "", "munlock": "", "race": RACE_MARK}, ("@_record(n)", "@_measure()")
        ),
    ),
)

PATTERNS = (LIST, SESSION, DEVICE, TREE)
