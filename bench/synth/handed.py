"""Patterns whose objects go from hand to hand: through a queue, a pool, or a generic container."""

from __future__ import annotations

from bench.synth.patterns import Extra, Pattern, Plant
from bench.synth.writing import RACE_MARK

QUEUE = Pattern(
    noun="queue",
    weight=2,
    under_lock=False,
    text="""
struct @_job {
    unsigned long size;
    long cost;
    unsigned char *data;
};
static struct @_job *@_ring[WORKERS + 2];
static unsigned @_head;
static unsigned @_count;
static pthread_mutex_t @_guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t @_filled = PTHREAD_COND_INITIALIZER;
static pthread_cond_t @_emptied = PTHREAD_COND_INITIALIZER;
static struct @_job *@_make(unsigned long n)
{
    struct @_job *job = $alloc(sizeof *job);
    if (job == NULL)
        abort();
    job->size = 4 + n % 12u;
    job->cost = (long)($E(n) % 90u);
    job->data = malloc(job->size);
    if (job->data == NULL)
        abort();
    memset(job->data, (int)(n & 127), job->size);
    return job;
}
static void @_put(struct @_job *job)
{
    pthread_mutex_lock(&@_guard);
    while (@_count == WORKERS + 2)
        pthread_cond_wait(&@_emptied, &@_guard);
    @_ring[(@_head + @_count) % (WORKERS + 2)] = job;
    @_count++;
    pthread_cond_signal(&@_filled);
    pthread_mutex_unlock(&@_guard);
}
static struct @_job *@_take(void)
{
    struct @_job *job;
    pthread_mutex_lock(&@_guard);
    while (@_count == 0)
        pthread_cond_wait(&@_filled, &@_guard);
    job = @_ring[@_head];
    @_head = (@_head + 1) % (WORKERS + 2);
    @_count--;
    pthread_cond_signal(&@_emptied);
    pthread_mutex_unlock(&@_guard);
    return job;
}
static long @_finish(struct @_job *job)
{
    long sum = job->cost;
    unsigned long i;
    for (i = 0; i < job->size; i++)
        sum += job->data[i];
    free(job->data);
    free(job);
    return sum;
}
static long @_exchange(unsigned long n)
{
    @_put(@_make(n));
    return @_finish(@_take());
}
static long @_waiting(void)
{
    unsigned count;
    $wlock
    count = @_count; $race
    $wunlock
    return (long)count;
}
""",
    apis=("@_exchange({n})", "@_waiting()"),
    report="return (long)@_head + (long)@_count;",
    parts={
        "wlock": "pthread_mutex_lock(&@_guard);",
        "wunlock": "pthread_mutex_unlock(&@_guard);",
        "race": "",
    },
    plants=(
        Plant(
            "missing-lock", "@_count", {"wlock": "", "wunlock": "", "race": RACE_MARK}, ("@_exchange(n)", "@_waiting()")
        ),
    ),
)


POOL = Pattern(
    noun="pool",
    weight=1,
    text="""
struct @_frame {
    struct @_frame *next;
    unsigned long words[8];
    unsigned used;
};
static struct @_frame @_frames[WORKERS];
static struct @_frame *@_free;
static long @_lent;
static $locktype @_guard$lockstatic;
$wrappers()
static struct @_frame *@_borrow(void)
{
    struct @_frame *f;
    $lock()
    f = @_free;
    if (f != NULL) {
        @_free = f->next;
        @_lent++;
    }
    $unlock()
    return f;
}
static void @_return(struct @_frame *f)
{
    $lock()
    f->next = @_free;
    @_free = f;
    $unlock()
}
static long @_compute(unsigned long n)
{
    struct @_frame *f = @_borrow();
    unsigned long sum = 0;
    if (f == NULL)
        return -1;
    for (f->used = 0; f->used < 8; f->used++) {
        f->words[f->used] = $e(n, sum);
        sum += f->words[f->used] & 63u;
    }
    @_return(f);
    return (long)(sum + $E(n) % 10u);
}
""",
    apis=("@_compute({n})",),
    init="""
    int i;
    $lockinit()
    for (i = 0; i < WORKERS; i++) {
        @_frames[i].next = @_free;
        @_free = &@_frames[i];
    }
""",
    report="return @_lent;",
)


REGISTRY = Pattern(
    noun="registry",
    weight=2,
    text="""
struct @_member {
    char name[12];
    long score;
    struct vec *tags;
};
static struct vec @_members;
static $locktype @_guard$lockstatic;
$wrappers()
static struct @_member *@_enroll(unsigned long n)
{
    struct @_member *m = xmalloc(sizeof *m);
    snprintf(m->name, sizeof m->name, "m%lu", n % 1000u);
    m->score = (long)($E(n) % 50u);
    m->tags = NULL;
    return m;
}
static long @_join(unsigned long n)
{
    struct @_member *m = @_enroll(n);
    size_t size;
    $lock()
    if (@_members.used < 64)
        vec_push(&@_members, m);
    else
        free(m);
    size = @_members.used;
    $unlock()
    return (long)size;
}
static long @_award(unsigned long n)
{
    struct @_member *m;
    long score = 0;
    $lock()
    if (@_members.used > 0) {
        m = vec_at(&@_members, n % @_members.used);
        m->score += $N(1, 9);
        score = m->score;
    }
    $unlock()
    return score;
}
""",
    apis=("@_join({n})", "@_award({n})"),
    extras=(
        Extra(
            """
static long @_rank(unsigned long n)
{
    size_t i;
    long best = 0;
    $lock()
    for (i = 0; i < @_members.used; i++) {
        const struct @_member *m = vec_at(&@_members, i);
        if (m->score > best && strlen(m->name) > n % 4u)
            best = m->score;
    }
    $unlock()
    return best;
}
""",
            "@_rank({n})",
        ),
    ),
    init="$lockinit()",
    report="""
    long sum = 0;
    size_t i;
    for (i = 0; i < @_members.used; i++) {
        struct @_member *m = vec_at(&@_members, i);
        sum += m->score;
        free(m);
    }
    return sum;
""",
)

PATTERNS = (QUEUE, POOL, REGISTRY)
