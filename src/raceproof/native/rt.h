/* rt.h: what the files of the runtime share. Talks to raceproof.explore through raceproof_rt.h.
 *
 * The words of the field are the papers': an *operation* is what a thread is about to do; an *event* is an
 * operation that was executed at a scheduling point; a *node* is the state before an event, with what the search
 * keeps about it. Events of one execution are numbered from 0, and node i is the state in which event i was chosen.
 */
#ifndef RT_H
#define RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "raceproof_rt.h"

#define RP_MAX_THREADS 64
#define NO_THREAD 0xff
#define NONE UINT32_MAX

typedef uint64_t tset; /* a set of thread ids */
_Static_assert(sizeof(tset) * 8 == RP_MAX_THREADS, "a bit for each thread");
_Static_assert(RP_MAX_THREADS < NO_THREAD - 1, "no thread has the numbers that stand for none");
#define BIT(t) ((tset)1 << (t))

/* ---- operations */

enum op_kind {
    OP_START,   /* a new thread before its first operation */
    OP_NOTHING, /* it runs */
    OP_MEMORY,  /* a plain access */
    OP_ATOMIC,  /* an atomic access */
    OP_FENCE,
    OP_LOCK,    /* mutexes, spin locks, write side of rwlocks: waits until free */
    OP_RDLOCK,
    OP_TRY,     /* any try or timed form: never waits */
    OP_UNLOCK,  /* a scheduling point only where try forms exist, or for dfs */
    OP_COND_WAIT,
    OP_COND_WAKE,  /* waits for a signal that it may take, or for a time-out */
    OP_COND_WOKEN, /* a signal has chosen it; never an event */
    OP_COND_SIGNAL,
    OP_SEM_WAIT,
    OP_SEM_POST,
    OP_BARRIER,    /* arrives */
    OP_BARRIER_LEAVE,  /* waits for the others; never an event */
    OP_ONCE,
    OP_ONCE_WAIT,  /* waits until the initialiser is done; never an event */
    OP_JOIN,       /* waits for the end of a thread; never an event */
    OP_SPIN,       /* waits until what the loop read has changed; never an event */
    OP_ATOMIC_SECTION,
    OP_CANCEL,     /* a request to cancel a thread, or a place where it takes effect */
    OP_OUTSIDE,    /* waits for the system, or for what another thread does there; never an event */
    OP_EXIT,       /* the program's end: waits until nobody else can run; never an event */
    OP_NEVER,      /* an assumption failed: waits for ever; never an event */
    OP_KINDS
};

/* How an operation touches its object, for the order of events: two operations on overlapping bytes of one object
 * are dependent unless both only read it. */
struct op {
    uint8_t kind;
    uint8_t writes;
    uint8_t order;  /* of an atomic: rp_order */
    uint8_t global; /* dependent with everything: its outcome depends on what others could do (timeouts) */
    uint8_t type;   /* of a lock's object: enum object_type */
    uint8_t shared; /* the read side of a rwlock */
    uint8_t again;  /* a lock that the thread has already: nothing changes for others */
    uint8_t exchange;  /* a compare-exchange: whether it writes is known when it is done (settle_exchange) */
    uint8_t undecided; /* one that is not done yet */
    uint8_t updates;   /* an atomic that reads and writes in one step */
    uint16_t unsure;   /* of an access: the last bytes, which it need not have touched */
    uint32_t size;  /* of an access; OP_TRY: whether it succeeds; semaphores: the value before */
    uint32_t id; /* access or RP_NO_ACCESS */
    uint32_t site;
    uintptr_t object;
};

_Static_assert(sizeof(struct op) == 24 + sizeof(uintptr_t), "copied for each event: without padding");

static inline bool is_access(const struct op *o) { return o->kind == OP_MEMORY || o->kind == OP_ATOMIC; }

bool op_dependent(const struct op *a, const struct op *b);
bool op_conflicting_accesses(const struct op *a, const struct op *b); /* a race if unordered */
bool op_surely_conflicting(const struct op *a, const struct op *b);   /* in bytes that both touch */
void note_unsure(uint32_t site);                                     /* they may conflict in others */

struct event {
    struct op op;
    uint8_t tid;
    uint16_t race_count;
    uint32_t number;     /* the thread's how-many-th event, from 1 */
    uint32_t steps;      /* of the thread, when it stood before this event */
    uint32_t enabler;    /* event without which it could not have happened, or NONE */
    uint32_t first_race; /* into G->races */
    tset rivals, timed_rivals; /* other threads that could have woken up at its condition instead */
};

/* ---- wakeup trees (search_optimal.c) and nodes */

struct sleeper {
    struct op op;
    uint8_t tid;
};

struct wake {
    struct op op;
    uint32_t child, sibling;
    uint8_t tid;
};

struct node {
    tset enabled, backtrack, done;
    tset asleep;         /* threads in the sleep set; their operations are in sleepers */
    uint32_t wut;        /* first child of the wakeup tree, or NONE */
    uint32_t section;    /* event that began the atomic section in which this node lies, or NONE */
    uint8_t chosen;
};

/* ---- threads */

enum thread_state { T_UNUSED, T_READY, T_FINISHED };

struct cleanup;
struct frame { uint32_t site; uintptr_t sp; };
#define MAX_FRAMES 256
#define MAX_POLLS 64
#define MAX_CARRIED 16
#define MAX_TIMEOUTS 8
#define TIMEOUTS_OF_ONE 3

struct held { uintptr_t object; uint32_t site; uint8_t shared, type; }; /* one for each time that it was taken */
struct written { uintptr_t address; uint64_t length; uint32_t access; };
struct poll { const void *address; uint32_t size; uint8_t value[16]; };

/* The floating-point environment: rounding, which exceptions trap, which have occurred. */
struct fp_environment { uint32_t mxcsr; uint16_t x87_control, x87_status; };

struct fiber {
    void *sp;
    union { void *context; struct fp_environment fp; }; /* of ucontext, or ours */
    void *stack;
    size_t stack_size;
};

struct thread {
    struct fiber fiber;
    struct op pending;
    uint8_t tid, parent, state, joined;
    uint8_t detached, cancel_requested, cancel_disabled, cancel_at_once;
    uint8_t timed, woken, in_exit; /* timed: its wait at a condition may end without a signal */
    uint8_t result_unseen;         /* of the barrier's wait that comes next */
    uint8_t waits_alone;           /* for the system: nobody else can run */
    uint8_t waited;                /* at a condition, in this round of a loop that only waits */
    uint8_t timed_out;             /* its wait at a condition, which now waits for the mutex */
    uint8_t gang;                  /* the first of those like it (symmetry.c) */
    uint16_t place;                /* in the code (persistent.c), 0: none */
    uint32_t created_at;
    uint32_t children;   /* created so far */
    uint32_t steps;      /* hooks completed */
    uint32_t events;     /* events so far */
    uint32_t inputs;     /* inputs taken */
    int saved_errno;
    uint32_t saved_site;
    void *(*start)(void *);
    void *argument, *result;
    struct cleanup *cleanups;
    struct object *in_once; /* the innermost once-object whose routine it runs */
    void *unwind; /* glibc's chain of cancellation buffers */
    const void **specific;
    char *tls;
    uint64_t virtual_time;
    uintptr_t wait_mutex;        /* that it gets back when its wait at a condition is over, or 0 */
    uint64_t wait_ticket;
    uint32_t wake_enabler;       /* event that woke it, or NONE */
    uint32_t section_event;      /* that began its atomic section, or NONE */
    uint64_t timeout_seen;       /* steps of others at the last time-out */
    uint32_t timeouts[MAX_TIMEOUTS], timeout_count; /* where its waits have ended without a signal since then */
    const char *what;            /* in a replay: the name of its pending operation */
    struct rp_frame *frame; /* the innermost, of one that does not run (states.h) */
    uint8_t looks_at_time;       /* its wait is one with a time limit */
    uint8_t looks_again;         /* its wait stands in a loop that only tests and waits again */
    struct written written;      /* the last range of memory that it told to write */
    struct frame frames[MAX_FRAMES];
    uint32_t depth;
    struct held *held; /* grows as needed: the search relies on it */
    uint32_t held_count, held_capacity;
    struct poll polls[MAX_POLLS];
    uint32_t poll_count;
    uint8_t polling, poll_overflow;
    uint8_t returning, carries_same, carried; /* of a loop that only waits: what it takes into its next round */
    uint64_t carries[MAX_CARRIED];
    struct op exchange; /* a compare-exchange whose outcome is not known yet */
    uint8_t failure_order;
    uint32_t hb[RP_MAX_THREADS];      /* happens-before of C11 */
    uint32_t dep[RP_MAX_THREADS];     /* order of dependent events */
    uint32_t acquire_fence[RP_MAX_THREADS], release_fence[RP_MAX_THREADS];
    uint8_t has_acquire_fence, has_release_fence;
};

extern struct thread threads[RP_MAX_THREADS];
extern struct thread *self;
extern uint32_t thread_limit; /* ids in use are below */

/* ---- the search's memory: shared with the children in fork mode, so everything that lasts is behind G */

#define MAX_EVENTS (1u << 16)
#define MAX_RACES (1u << 20)
#define MAX_WAKES (1u << 22)
#define MAX_PAIRS_FOUND 4096
#define MAX_SEGMENTS (1u << 20)
#define MAX_CHOICES 256
#define MAX_OTHERS 256
#define MAX_BOUNDS 64

struct segment { uint32_t tid, steps; };

struct input_choice { uint8_t tid, bits, is_signed; uint32_t number; uint32_t index; };

struct found_race { uint32_t a, b; };

struct shared {
    uint32_t event_count;
    uint32_t event_limit;  /* an execution is cut there */
    uint32_t race_count;
    uint32_t prefix; /* nodes below are fixed by the search: their `chosen` is followed */
    uint32_t segment_count;
    uint32_t wake_free, wake_used;
    uint32_t thread_limit;
    uint8_t path_parent[RP_MAX_THREADS];
    uint32_t path_number[RP_MAX_THREADS];
    uint32_t paths;
    /* how the execution left the threads; what they stand before, and their clocks, where they have not ended */
    uint8_t final_state[RP_MAX_THREADS];
    struct op final_pending[RP_MAX_THREADS];
    uint32_t final_dep[RP_MAX_THREADS][RP_MAX_THREADS];
    uint8_t thread_parent[RP_MAX_THREADS];
    uint32_t thread_site[RP_MAX_THREADS];
    /* what this execution ran into */
    uint8_t cut;      /* enum cut */
    uint8_t restart;  /* the set of scheduling points has grown: begin the search anew */
    uint8_t has_try;  /* try forms exist: releases are scheduling points too */
    uint8_t has_waits;  /* at conditions, or requests to cancel: the optimal search goes another way */
    uint8_t has_cancel; /* of threads, or tries to join them: cancellation points and ends are scheduling points */
    uint8_t barrier_ordered;
    uint8_t stop;
    uint8_t child_reported;
    uint8_t driven;   /* a driven race: both threads stand before their accesses */
    uint8_t nondeterministic; /* the program did not do the same again under the same schedule */
    uint8_t uses_inputs;
    uint32_t limits; /* that were reached: bits, by enum rp_limit */
    uint8_t input_was_empty; /* the standard input that the program has read */
    uint32_t client_status, client_failed; /* of a client that did not succeed, or 0: now, in one that ended by itself */
    uint8_t bounded_endless;
    uint8_t bounded_unlock; /* a thread has unlocked what it does not hold: an unlock is no scheduling point */
    uint8_t bounded_keys;   /* a key with a destructor was deleted while threads run that may still call it */
    uint8_t bounded_timeouts; /* a wait might have ended without a signal once more */
    uint8_t bounded_unsure; /* a library function may have touched what others write: at */
    uint32_t unsure_site;
    uint8_t bounded_weaker; /* weaker atomics allow other executions: at */
    uint32_t weaker_site;
    uint32_t others, bounds;  /* findings of kind `other`, and what has bounded the search: those that were told */
    uint64_t other_keys[MAX_OTHERS], bound_keys[MAX_BOUNDS];
    uint64_t executions, blocked, transitions, classes;
    uint64_t trace;       /* of the last execution that was drawn: a hash of its points */
    uint64_t first_race;  /* the execution, from 1, in which a race was seen first */
    uint64_t predicted;   /* races that another order would show */
    uint64_t failed, failure; /* the failure in which the last execution has ended, or 0; the one in which all have */
    uint64_t subspace_checks, subspace_race_free, backtracks_skipped, data_conflicts;
    uint32_t pairs_found;
    struct found_race found[MAX_PAIRS_FOUND];
    struct input_choice choices[MAX_CHOICES];
    uint32_t choice_count;
    uint64_t input_values[MAX_CHOICES * 4];
    uint32_t input_sites[MAX_CHOICES * 4]; /* where each was asked for */
    uint32_t input_count;
    /* a race of this execution that is to be driven to the point where both threads stand before their accesses */
    uint32_t hit_count;
    bool is_lock_lost; /* in this execution: what comes behind is no race of its own */
    struct hit {
        uint32_t a, b, steps_a, steps_b, segments;
        uint8_t tid_a, tid_b, together;
        uintptr_t address;
    } hits[MAX_PAIRS_FOUND];
};

enum cut { CUT_NOT, CUT_BLOCKED, CUT_STEPS, CUT_ASSUME, CUT_EVENTS, CUT_FATAL, CUT_DEADLOCK, CUT_THREADS, CUT_ENDLESS,
           CUT_REPLAYED };

extern struct shared *G;

/* Every fixed size of the runtime ends here: what is past it was not followed. */
static inline void limit_reached(enum rp_limit limit) { G->limits |= 1u << limit; }
extern struct event *events;         /* of the current execution */
extern struct node *nodes;
extern uint32_t *clocks;             /* row i: clock of event i; RP_MAX_THREADS wide only as far as threads exist */
extern uint32_t *befores;            /* row i: clock of its thread before event i, where it has races */
extern struct sleeper *sleepers;     /* row i: sleep set of node i, by thread id */
extern uint32_t *races;              /* event numbers */
extern struct wake *wakes;
extern struct segment *segments;

#define CLOCK(i) (clocks + (size_t)(i) * RP_MAX_THREADS)
#define BEFORE(i) (befores + (size_t)(i) * RP_MAX_THREADS)
#define SLEEPERS(i) (sleepers + (size_t)(i) * RP_MAX_THREADS)

void *reserve(size_t bytes); /* address space for what lasts; zero */

/* ---- options (main.c) */

enum mode { MODE_SEARCH, MODE_REPLAY };
enum pruning { PRUNING_REPAIRED, PRUNING_PRINTED, PRUNING_NONE };
enum sampling { SAMPLE_MIXED, SAMPLE_WALK, SAMPLE_STAY, SAMPLE_PCT, SAMPLE_POS };
enum deadlocks { DEADLOCKS_NOT, DEADLOCKS_FIRST, DEADLOCKS_ALL };

struct options {
    const struct algorithm *algorithm;
    bool all, fork, spurious;
    bool exact_states;   /* keep the states themselves (search_states.c) */
    bool monitors;       /* operations under a lock that all who use their object hold are no scheduling points (monitors.c) */
    uint32_t persistent; /* behind so many states, not all threads are tried in each (persistent.c); 0: they are */
    bool symmetry;       /* threads that nobody can tell apart are one and the same (symmetry.c) */
    uint64_t max_states; /* 0: as many as there is memory for */
    uint8_t deadlocks; /* enum deadlocks */
    bool weaker; /* some atomics are not sequentially consistent */
    bool fp_unseen; /* no thread can look at its floating-point environment, nor change it other than by computing */
    uint64_t max_executions, max_steps;
    double time_limit;
    enum mode mode;
    bool samples;           /* the program tells of every access (sampled.c) */
    enum sampling sampling; /* how schedules are drawn */
    uint64_t seed;          /* of the first execution; the next one has the next number */
    uint64_t last;          /* replay: steps to tell, of the last ones; 0: all */
    enum pruning pruning; /* of subspaces without races: sound, as the paper prints it, not at all */
    int argc;
    char **argv;
    uint32_t pair_count;
    struct found_race *pairs;
    uint8_t *pair_conflicts;  /* held for possible: data conflicts */
    uint8_t *pair_is_ordered; /* by static facts: not looked for when subspaces are checked */
    uint32_t access_limit;
    struct segment *schedule;
    uint32_t schedule_count;
    bool drive;
    struct { uint8_t parent; uint32_t number; } paths[RP_MAX_THREADS]; /* of the threads of a schedule */
    uint32_t path_count;
    struct segment drive_a, drive_b;
    uint64_t *inputs;
    uint32_t input_count;
    struct { uint32_t bits; uint64_t value; } *candidates;
    uint32_t candidate_count;
    /* parts of a search (items.c) */
    bool shares, is_item, begun, has_try, has_cancel, barrier_ordered;
    struct { tset mask; uint8_t tid; } *item;
    uint32_t item_length;
    uint64_t item_executions;
    bool item_ends;
    uint32_t *visible;
    uint32_t visible_count;
    struct found_race *found;
    uint32_t found_count;
    /* what is around the program (peers.c, resources.c, load_shared.c) */
    char **environment, **clients, **servers, **libraries;
    uint32_t environment_count, client_count, server_count, library_count;
    const char *directory;
    bool writes_files; /* it may */
};
extern struct options options;
extern uint8_t *visible_access; /* by access id: is it a scheduling point */

/* ---- search algorithms: one file each behind this interface */

struct algorithm {
    const char *name;
    bool accesses;    /* accesses are scheduling points */
    bool releases;    /* so are unlock and post */
    bool hb;          /* races by happens-before; else by the co-enabled test */
    bool orders;      /* needs the clocks and races of dependent events */
    bool sleeps;      /* has sleep sets */
    bool owns;        /* asks for thread states when it checks a subspace (ownership.c) */
    bool sequences;   /* has wakeup sequences (search_optimal.c), unless threads wait at conditions */
    void (*fresh)(void);                                  /* of a search with other inputs */
    void (*begin)(void);                                  /* of a search, also when it begins anew */
    int (*choose)(struct node *node, uint32_t depth);      /* beyond the prefix: a thread, or -1 to stop here */
    void (*chosen)(struct node *node, uint32_t depth);     /* also within the prefix */
    void (*between)(void);                                /* two executions, when what the first one found was told; or null */
    bool (*finish)(void);                                 /* of an execution: false when the search is complete */
    tset (*left)(struct node *node);                      /* still to be tried there, but for the chosen one: take it */
    bool (*divides)(void);                                /* may others search a part now? null: always */
    void (*resume)(void);                                 /* others have begun: what precedes the search is done */
    uint8_t (*search)(void); /* enum stop: one that goes back to states, not to the beginning (search_states.c), or null */
};
extern const struct algorithm algorithm_dfs, algorithm_dpor, algorithm_pdp, algorithm_dhtc, algorithm_optimal,
    algorithm_race, algorithm_sweep, algorithm_unhunted, algorithm_classes, algorithm_states, algorithm_sample;

/* ---- sched.c */

/* Stand before an operation until it is our turn, then it counts as done. `what` names it in a replay. */
void point(const struct op *op, bool is_point, const char *what);
void block(const struct op *op); /* wait until it is enabled: no event, no step */
void wake(struct thread *t);     /* it waits at a condition: let it go on */
bool is_enabled(const struct thread *t);
bool is_woken(const struct thread *t); /* one that waits at a condition: by a signal, or because it is cancelled */
uint64_t steps_of_others(const struct thread *t);
bool try_succeeds(const struct thread *t);
int default_choice(tset candidates);
_Noreturn void end_execution(enum cut cut);
void settle_exchange(bool writes); /* the event was a compare-exchange: one that fails has only read */
_Noreturn void thread_end(void);
_Noreturn void stand_still(uint8_t kind); /* OP_EXIT or OP_NEVER */
struct thread *thread_create(void *(*start)(void *), void *argument, uint32_t site, bool detached); /* NULL: too many */
void run_search(void);
void run_replay(void);
void record_switch(void);
bool unlock_is_point(void);
bool must_stop(void); /* time is up: in long loops of the search */

/* The object of an operation brings its own order with it: what its last release knew. */
void join_object(uint32_t *clock, const struct op *op);

/* Clocks: RP_MAX_THREADS wide, of which the first n count. They are worked on in whole vectors, for speed: the entries
 * behind n have no meaning until a thread gets that number, which then sets them to zero. Most programs need one or two
 * vectors: unrolled further, the loops would spend more on finding out how many there are. */
#define CLOCK_VECTOR 8
_Static_assert(RP_MAX_THREADS % CLOCK_VECTOR == 0, "clocks are whole vectors");
#ifdef __clang__
#define NOT_UNROLLED _Pragma("clang loop unroll(disable)")
#else
#define NOT_UNROLLED
#endif
static inline void clock_join(uint32_t *restrict into, const uint32_t *restrict from, uint32_t n) {
    NOT_UNROLLED
    for (uint32_t i = 0; i < n; i += CLOCK_VECTOR)
        for (uint32_t j = i; j < i + CLOCK_VECTOR; j++) into[j] = from[j] > into[j] ? from[j] : into[j];
}
static inline void clock_copy(uint32_t *into, const uint32_t *from, uint32_t n) {
    NOT_UNROLLED
    for (uint32_t i = 0; i < n; i += CLOCK_VECTOR) memcpy(into + i, from + i, CLOCK_VECTOR * sizeof *into);
}

/* ---- objects.c: synchronisation objects */

enum object_type { O_NONE, O_MUTEX, O_RWLOCK, O_SPIN, O_COND, O_SEM, O_BARRIER, O_ONCE, O_SECTION, O_OUTSIDE };
enum mutex_kind { M_NORMAL, M_RECURSIVE, M_ERRORCHECK };

struct object {
    uintptr_t address;
    uint8_t type, mutex_kind, robust, owner_died, unrecoverable, destroyed;
    uint8_t owner;      /* NO_THREAD: free */
    uint8_t maker;      /* thread that has initialised it, or NO_THREAD */
    uint32_t made_at;   /* its own clock then */
    uint32_t depth;     /* of a recursive lock */
    tset readers;
    uint32_t reader_depth;
    int64_t value;      /* semaphore; barrier: how many are needed */
    uint32_t arrived;
    tset arrivals, users;
    uint64_t round, tickets;
    tset waiting;       /* at a condition */
    uintptr_t once_frame;       /* where on its stack the thread that runs it is */
    struct object *outer_once;  /* that this thread runs as well */
    uint8_t once;       /* 0 not yet, 1 running, 2 done */
    uint32_t covered;   /* what was in the program's memory where its cookie is */
    uint32_t tokens;    /* signals not yet taken, when several could take them */
    uint64_t token_ticket[RP_MAX_THREADS];
    uint32_t token_event[RP_MAX_THREADS];
    uint32_t hb[RP_MAX_THREADS];
    uint32_t hb_readers[RP_MAX_THREADS];
    uint32_t dep[RP_MAX_THREADS];          /* of the last release that excludes readers too */
    uint32_t dep_readers[RP_MAX_THREADS];  /* of the readers' releases since */
};

struct object *object_at(const void *address, enum object_type type);
struct object *object_fresh(const void *address, enum object_type type);
void object_unused(const void *address, enum object_type type); /* about to be initialised; or else it is reported */
struct object *object_made(const void *address, enum object_type type);
void object_in_making(void);
/* Is the initialisation, if there was one, ordered before what this thread does now? */
static inline bool object_is_made(const struct object *o) {
    return o->maker == NO_THREAD || o->maker == self->tid || o->made_at <= self->hb[o->maker];
}
uint32_t object_index(const struct object *o); /* which one it is of those that were made in this execution */
void objects_reset(void);
void objects_grow(uint32_t tid); /* a thread id is used for the first time: its column of every clock is zero */

/* ---- shadow.c */

void shadow_reset(void);
void shadow_grow(uint32_t tid);
void shadow_forget(void *base, size_t size);
/* Dependent events before it: clocks and races. `is_known`: its clock is that of the last execution, and nobody asks
 * for its races. */
void order_event(uint32_t event, const struct op *op, bool is_known);
void detect(const struct op *op);                         /* races by happens-before */
uint64_t certain_bytes(const char *s, uint32_t stop, const char *other, uint64_t number); /* see stops.c */
uint64_t possible_bytes(const char *s, uint32_t stop, uint64_t number);
void atomic_acquire(const struct op *op);                 /* happens-before that reading it brings */
void atomic_release(const struct op *op, bool reads);     /* and that writing it gives; `reads`: in one step */
void fence_synchronise(uint8_t order);

/* ---- report.c */

void report_hit(const struct hit *hit);
void report_possible(const struct hit *hit);
void report_other(const char *kind, const char *message, uint32_t site);
void report_bounded(const char *reason, uint32_t site); /* something is not tried: no proof for this input */
const char *address_name(uintptr_t address);
bool pair_is_new(uint32_t a, uint32_t b);

#endif
