/* futures.c: property-driven pruning, with the tables of raceproof.explore.futures.
 *
 * A *position* is where a thread stands: its operation's site, the call sites above, the locks it holds. Positions are
 * numbered, because an execution comes back to the same ones again and again: what may be reached from a position
 * (`reach`) and whether two positions may race are worked out once.
 */

#include "futures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ownership.h"
#include "program.h"

#define LOCK_WORDS 4
#define MAX_TOKENS (64 * LOCK_WORDS)
#define MAX_POSITIONS (1u << 16)
#define MAX_STANDS (1u << 21)
#define POSITION_WORDS (1u << 22)

/* A set of locks, by their numbers; those behind MAX_TOKENS protect nothing. */
typedef struct { uint64_t word[LOCK_WORDS]; } lockset;

struct change { lockset exclusive, shared, released; bool unnamed; }; /* unnamed: locks without a token may be released */
struct access_entry { uint32_t point, access; struct change change; };
struct number_entry { uint32_t point, number; };
struct table { void *rows; uint32_t count; };

struct point {
    uint32_t first_access, accesses, first_sync, syncs, first_create, creates;
    struct change leave;
    bool returns;
};

bool futures_usable = false;
static bool refused, seen_any;
static struct access_entry *access_rows;
static struct number_entry *sync_rows, *create_rows;
static uint32_t access_count, sync_count, create_count;
static struct point *points;
static uint32_t point_count;
static uint32_t *before_site, *after_site, *object_site, *access_site; /* NONE: unknown */
static uint32_t site_limit, access_site_limit;
static uint32_t *entry_points;
static uint32_t entry_count;
static struct number_entry *start_rows; /* point: the site that creates; number: the function */
static uint32_t start_count;
static struct found_race *ordered;
static uint32_t ordered_count, token_count;

static const lockset no_locks, all_locks = {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
_Static_assert(LOCK_WORDS == 4, "all_locks has a number for each word");

static void add_lock(lockset *set, uint32_t number) {
    if (number < MAX_TOKENS) set->word[number / 64] |= (uint64_t)1 << number % 64;
}

static lockset unite(lockset a, lockset b) {
    for (int i = 0; i < LOCK_WORDS; i++) a.word[i] |= b.word[i];
    return a;
}

static lockset without(lockset a, lockset b) {
    for (int i = 0; i < LOCK_WORDS; i++) a.word[i] &= ~b.word[i];
    return a;
}

static bool have_common(lockset a, lockset b) {
    uint64_t common = 0;
    for (int i = 0; i < LOCK_WORDS; i++) common |= a.word[i] & b.word[i];
    return common != 0;
}

static bool is_same(const lockset *a, const lockset *b) { return memcmp(a, b, sizeof *a) == 0; }

static void *grown(void *array, uint32_t count, size_t size) {
    if (count != 0 && (count & (count - 1)) != 0) return array;
    array = realloc(array, (count == 0 ? 1 : 2 * (size_t)count) * size);
    if (array == NULL) abort();
    return array;
}

static void set_at(uint32_t **array, uint32_t *limit, uint32_t index, uint32_t value) {
    if (index >= *limit) {
        uint32_t size = 2 * index + 64;
        *array = realloc(*array, size * sizeof **array);
        if (*array == NULL) abort();
        for (uint32_t i = *limit; i < size; i++) (*array)[i] = NONE;
        *limit = size;
    }
    (*array)[index] = value;
}

static void set_site(uint32_t **array, uint32_t site, uint32_t value) {
    if (site >= site_limit) {
        uint32_t old = site_limit, limit;
        uint32_t **all[] = {&before_site, &after_site, &object_site};
        for (int i = 0; i < 3; i++) {
            limit = old;
            set_at(all[i], &limit, site, NONE);
        }
        site_limit = limit;
    }
    (*array)[site] = value;
}

/* ---- reading */

static struct point *point_at(uint32_t number) {
    while (point_count <= number) {
        points = grown(points, point_count, sizeof *points);
        points[point_count++] = (struct point){.returns = true};
    }
    return &points[number];
}

/* `1,2s -`: tokens taken (s: shared) and tokens that may be given back (d: locks without a token, *: any). Tokens beyond
 * our sets protect nothing. */
static bool read_change(const char *taken, const char *given, struct change *change) {
    memset(change, 0, sizeof *change);
    for (const char *c = taken; *c != 0 && *c != '-';) {
        char *end;
        unsigned long token = strtoul(c, &end, 10);
        bool shared = *end == 's';
        if (token < MAX_TOKENS) add_lock(shared ? &change->shared : &change->exclusive, (uint32_t)token);
        c = end + shared;
        if (*c == ',') c++;
        else if (*c != 0) return false;
    }
    if (*given == '*') {
        change->released = all_locks;
        return true;
    }
    for (const char *c = given; *c != 0 && *c != '-';) {
        if (*c == 'd') {
            change->unnamed = true;
            c += c[1] == ',' ? 2 : 1;
            continue;
        }
        char *end;
        unsigned long token = strtoul(c, &end, 10);
        if (token < MAX_TOKENS) add_lock(&change->released, (uint32_t)token);
        if (end == c) return false;
        c = *end == ',' ? end + 1 : end;
    }
    return true;
}

static bool read_numbers(char *rest, struct number_entry **rows, uint32_t *count, uint32_t point) {
    for (char *word = strtok(rest, " "); word != NULL; word = strtok(NULL, " ")) {
        *rows = grown(*rows, *count, sizeof **rows);
        (*rows)[(*count)++] = (struct number_entry){point, (uint32_t)strtoul(word, NULL, 10)};
    }
    return true;
}

bool future_directive(char *rest) {
    char word[16], when[16];
    uint32_t a, b;
    int at = 0;
    if (sscanf(rest, "%15s%n", word, &at) != 1) return false;
    rest += at;
    while (*rest == ' ') rest++;
    seen_any = true;
    if (strcmp(word, "unusable") == 0) return refused = true;
    if (strcmp(word, "token") == 0) return token_count++, true;
    if (strcmp(word, "ordered") == 0) {
        if (sscanf(rest, "%u %u", &a, &b) != 2) return false;
        ordered = grown(ordered, ordered_count, sizeof *ordered);
        ordered[ordered_count++] = (struct found_race){a, b};
        return true;
    }
    if (strcmp(word, "site") == 0) {
        if (sscanf(rest, "%u %u", &a, &b) != 2) return false;
        set_at(&access_site, &access_site_limit, a, b);
        return true;
    }
    if (strcmp(word, "point") == 0) {
        if (sscanf(rest, "%u %u %15s", &a, &b, when) != 3) return false;
        point_at(a);
        set_site(strcmp(when, "before") == 0 ? &before_site : &after_site, b, a);
        return true;
    }
    if (strcmp(word, "entry") == 0) {
        if (sscanf(rest, "%u %u", &a, &b) != 2) return false;
        point_at(a);
        set_at(&entry_points, &entry_count, b, a);
        return true;
    }
    if (strcmp(word, "object") == 0) {
        if (sscanf(rest, "%u %u", &a, &b) != 2) return false;
        set_site(&object_site, a, b);
        return true;
    }
    bool is_ownership, is_read = ownership_directive(word, rest, &is_ownership);
    if (is_ownership) return is_read;
    if (sscanf(rest, "%u%n", &a, &at) != 1) return false;
    rest += at;
    if (strcmp(word, "start") == 0) return read_numbers(rest, &start_rows, &start_count, a);
    point_at(a);
    if (strcmp(word, "sync") == 0) return read_numbers(rest, &sync_rows, &sync_count, a);
    if (strcmp(word, "creates") == 0) return read_numbers(rest, &create_rows, &create_count, a);
    if (strcmp(word, "noexit") == 0) return points[a].returns = false, true;
    char *taken, *given;
    if (strcmp(word, "exit") == 0) {
        taken = strtok(rest, " "), given = strtok(NULL, " ");
        return taken != NULL && given != NULL && read_change(taken, given, &points[a].leave);
    }
    if (strcmp(word, "access") == 0) {
        char *access = strtok(rest, " ");
        taken = strtok(NULL, " "), given = strtok(NULL, " ");
        if (access == NULL || taken == NULL || given == NULL) return false;
        access_rows = grown(access_rows, access_count, sizeof *access_rows);
        struct access_entry *row = &access_rows[access_count++];
        row->point = a;
        row->access = (uint32_t)strtoul(access, NULL, 10);
        return read_change(taken, given, &row->change);
    }
    return false;
}

static int by_point(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b; /* both kinds of rows begin with the point */
    return x < y ? -1 : x > y;
}

/* ---- positions */

struct position { uint32_t at, length; uint64_t hash; lockset exclusive, shared; };

/* Contents of a position in `words`: its site, then the call sites from the innermost on. A thread that has not
 * begun stands at the site that created it, with this bit. */
#define NOT_BEGUN 0x80000000u

static struct position *positions; /* shared with child processes, as are the stands */
static uint32_t *words, *position_table;
static struct {
    uint32_t positions, words, stands, pasts, keys, locks;
    uint32_t last_stand[RP_MAX_THREADS];
    ground_id ground[RP_MAX_THREADS];
    uint8_t lost;
} *used;
static uintptr_t *lock_addresses; /* of locks that no token names, numbered behind the tokens */

/* Where a thread stands from state `from` on, and what it waits for there if it cannot go on: the end of thread `joins`,
 * or the lock `object`. `wakes_with`: the lock that it has again when its wait at a condition is over. */
static struct stand {
    uint32_t from, position, before; /* before: the thread's stand before this one, or NONE */
    uint8_t tid, joins, waits;
    uintptr_t object, wakes_with;
} *stands;
static uint32_t *stand_clocks; /* row i: happens-before of the thread at stand i */

/* Accesses that were made: what (access and locks, numbered as keys), by whom, when. */
static struct key { uint32_t access; lockset exclusive, shared; } *keys;
static struct past { uint32_t from, key, epoch; uint8_t tid; } *pasts;
#define MAX_KEYS 4096
#define MAX_PASTS (1u << 21)

#define ENDED 0 /* position 0: nothing comes any more */
#define NEVER_LED (NO_THREAD - 1)

/* The number of a lock, by its address: whatever pointer led to it, [PDP, Fig. 4] l.5. One that no token names is given the
 * next number that is free. NONE: there is none any more, it protects nothing. */
static uint32_t lock_number(uintptr_t object) {
    if (object == 0) return 0; /* the atomic section */
    for (uint32_t i = 1; i < token_count; i++)
        if ((uintptr_t)program.tokens[i - 1] == object) return i < MAX_TOKENS ? i : NONE;
    uint32_t number = token_count;
    while (number < token_count + used->locks && lock_addresses[number - token_count] != object) number++;
    if (number >= MAX_TOKENS) return NONE;
    if (number == token_count + used->locks) lock_addresses[used->locks++] = object;
    return number;
}

/* Locks that no token names: what the tables cannot tell apart when one of them is given back. */
static lockset unnamed_locks(void) {
    lockset found = no_locks;
    for (uint32_t i = token_count; i < MAX_TOKENS; i++) add_lock(&found, i);
    return found;
}

static uint64_t hash_of(const lockset *exclusive, const lockset *shared) {
    uint64_t hash = 0;
    for (int i = 0; i < LOCK_WORDS; i++) hash = (hash ^ exclusive->word[i]) * 0x9e3779b97f4a7c15u + shared->word[i];
    return hash;
}

static uint32_t position_of(const uint32_t *content, uint32_t length, lockset exclusive, lockset shared) {
    uint64_t hash = hash_of(&exclusive, &shared);
    for (uint32_t i = 0; i < length; i++) hash = (hash ^ content[i]) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
    uint32_t slot = (uint32_t)hash & (2 * MAX_POSITIONS - 1);
    for (;; slot = (slot + 1) & (2 * MAX_POSITIONS - 1)) {
        uint32_t p = position_table[slot];
        if (p == 0) break;
        const struct position *q = &positions[p];
        if (q->hash == hash && q->length == length && is_same(&q->exclusive, &exclusive) && is_same(&q->shared, &shared) &&
            memcmp(words + q->at, content, length * sizeof *content) == 0)
            return p;
    }
    if (used->positions == MAX_POSITIONS || used->words + length > POSITION_WORDS) return NONE;
    uint32_t p = used->positions++;
    positions[p] = (struct position){used->words, length, hash, exclusive, shared};
    memcpy(words + used->words, content, length * sizeof *content);
    used->words += length;
    position_table[slot] = p;
    return p;
}

static void add_held(uintptr_t object, bool is_shared, lockset *exclusive, lockset *shared) {
    add_lock(is_shared ? shared : exclusive, lock_number(object));
}

static uint32_t position_now(const struct thread *t) {
    if (t->state == T_FINISHED || t->pending.kind == OP_EXIT || t->pending.kind == OP_NEVER) return ENDED;
    uint32_t content[MAX_FRAMES + 1];
    if (t->depth > MAX_FRAMES || t->pending.kind == OP_SPIN) return NONE;
    uint32_t site = t->pending.kind == OP_START ? NOT_BEGUN | t->created_at
                    : t->pending.kind == OP_MEMORY
                        ? (t->pending.id < access_site_limit ? access_site[t->pending.id] : NONE)
                        : t->pending.site;
    if (site == NONE) return NONE;
    content[0] = site;
    for (uint32_t i = 0; i < t->depth; i++) content[1 + i] = t->frames[t->depth - 1 - i].site;
    lockset exclusive = no_locks, shared = no_locks;
    for (uint32_t i = 0; i < t->held_count; i++)
        add_held(t->held[i].object, t->held[i].shared, &exclusive, &shared);
    if (t->wait_mutex != 0) add_held(t->wait_mutex, false, &exclusive, &shared); /* it has it again before it goes on */
    return position_of(content, t->depth + 1, exclusive, shared);
}

void futures_stand(struct thread *t) {
    if (!futures_usable) return;
    if (used->stands == MAX_STANDS) {
        used->lost = 1;
        return;
    }
    clock_copy(stand_clocks + (size_t)used->stands * RP_MAX_THREADS, t->hb, G->paths);
    const struct op *op = &t->pending;
    if (op->kind == OP_START) used->ground[t->tid] = ground_of_thread(t);
    bool waits = op->kind == OP_LOCK || op->kind == OP_RDLOCK || op->kind == OP_ATOMIC_SECTION;
    stands[used->stands] = (struct stand){.from = G->event_count,
                                          .position = position_now(t),
                                          .before = used->last_stand[t->tid],
                                          .tid = t->tid,
                                          .joins = op->kind == OP_JOIN ? (uint8_t)op->id : NO_THREAD,
                                          .waits = waits,
                                          .object = op->object,
                                          .wakes_with = t->wait_mutex};
    used->last_stand[t->tid] = used->stands++;
}

static uint32_t key_of(uint32_t access, lockset exclusive, lockset shared) {
    for (uint32_t i = used->keys; i-- > 0;)
        if (keys[i].access == access && is_same(&keys[i].exclusive, &exclusive) && is_same(&keys[i].shared, &shared))
            return i;
    if (used->keys == MAX_KEYS) return NONE;
    keys[used->keys] = (struct key){access, exclusive, shared};
    return used->keys++;
}

void futures_past(struct thread *t, uint32_t access) {
    if (!futures_usable || used->lost) return;
    lockset exclusive = no_locks, shared = no_locks;
    for (uint32_t i = 0; i < t->held_count; i++)
        add_held(t->held[i].object, t->held[i].shared, &exclusive, &shared);
    uint32_t key = key_of(access, exclusive, shared), epoch = t->hb[t->tid];
    if (key == NONE || used->pasts == MAX_PASTS) {
        used->lost = 1;
        return;
    }
    for (uint32_t i = used->pasts, n = 0; i-- > 0 && n < 16; n++) { /* in a loop it comes again and again */
        const struct past *p = &pasts[i];
        if (p->from != G->event_count) break;
        if (p->key == key && p->tid == t->tid && p->epoch == epoch) return;
    }
    pasts[used->pasts++] = (struct past){G->event_count, key, epoch, t->tid};
}

void futures_reset(void) {
    if (!futures_usable) return;
    used->stands = used->pasts = 0;
    used->lost = 0;
    for (uint32_t t = 0; t < RP_MAX_THREADS; t++) used->last_stand[t] = NONE;
}

/* ---- what a position may reach */

struct reached { uint32_t access; lockset exclusive, shared; };

struct reach {
    bool is_known, is_done;
    struct reached *accesses;
    uint32_t access_count;
    uint32_t *syncs;
    uint32_t sync_count;
    uint64_t creates; /* functions */
};

static struct reach *reaches;

static void reach_point(struct reach *r, const struct point *p, lockset exclusive, lockset shared) {
    for (uint32_t i = 0; i < p->accesses; i++) {
        const struct access_entry *row = &access_rows[p->first_access + i];
        r->accesses = grown(r->accesses, r->access_count, sizeof *r->accesses);
        r->accesses[r->access_count++] =
            (struct reached){row->access, unite(without(exclusive, row->change.released), row->change.exclusive),
                             unite(without(shared, row->change.released), row->change.shared)};
    }
    for (uint32_t i = 0; i < p->syncs; i++) {
        r->syncs = grown(r->syncs, r->sync_count, sizeof *r->syncs);
        r->syncs[r->sync_count++] = sync_rows[p->first_sync + i].number;
    }
    for (uint32_t i = 0; i < p->creates; i++) {
        uint32_t function = create_rows[p->first_create + i].number;
        if (function >= 64)
            r->is_known = false;
        else
            r->creates |= (uint64_t)1 << function;
    }
}

static void reach_entries(struct reach *r, uint32_t site) {
    if (site == 0) { /* the program's own entry */
        if (entry_count == 0 || entry_points[0] == NONE) r->is_known = false;
        else reach_point(r, &points[entry_points[0]], no_locks, no_locks);
        return;
    }
    bool any = false;
    for (uint32_t i = 0; i < start_count; i++) {
        if (start_rows[i].point != site) continue;
        uint32_t function = start_rows[i].number;
        any = true;
        if (function >= entry_count || entry_points[function] == NONE) r->is_known = false;
        else reach_point(r, &points[entry_points[function]], no_locks, no_locks);
    }
    if (!any) r->is_known = false;
}

static const struct reach *reach_of(uint32_t position) {
    struct reach *r = &reaches[position];
    if (r->is_done) return r;
    r->is_done = r->is_known = true;
    if (position == ENDED) return r;
    const struct position *p = &positions[position];
    const uint32_t *content = words + p->at;
    if (content[0] & NOT_BEGUN) {
        reach_entries(r, content[0] & ~NOT_BEGUN);
        return r;
    }
    lockset exclusive = p->exclusive, shared = p->shared;
    for (uint32_t i = 0; i < p->length; i++) {
        const uint32_t *table = i == 0 ? before_site : after_site;
        if (content[i] >= site_limit || table[content[i]] == NONE) {
            r->is_known = false;
            return r;
        }
        const struct point *q = &points[table[content[i]]];
        reach_point(r, q, exclusive, shared);
        if (!q->returns) return r;
        exclusive = unite(without(exclusive, q->leave.released), q->leave.exclusive);
        shared = unite(without(shared, q->leave.released), q->leave.shared);
    }
    return r;
}

/* ---- may two positions race? */

static uint8_t *race_memo; /* by the two positions' numbers, hashed; 0 unknown, 1 no, 2 yes */
static uint64_t *memo_keys;
#define MEMO (1u << 20)

static bool is_ordered(uint32_t a, uint32_t b) {
    for (uint32_t i = 0; i < ordered_count; i++)
        if ((ordered[i].a == a && ordered[i].b == b) || (ordered[i].a == b && ordered[i].b == a)) return true;
    return false;
}

static bool is_protected(const struct reached *a, const struct reached *b) {
    return have_common(a->exclusive, unite(b->exclusive, b->shared)) || have_common(a->shared, b->exclusive);
}

/* What a thread certainly holds at an access, whichever way it comes there: locks that the run knows by the ground. */
static struct reached held_at(ground_id ground, uint32_t access) {
    struct ground_lock locks[MAX_HELD];
    struct reached found = {access, no_locks, no_locks};
    uint32_t count = ground_locks(ground, access, locks);
    for (uint32_t i = 0; i < count; i++) add_held(locks[i].object, locks[i].shared, &found.exclusive, &found.shared);
    return found;
}

static struct reached with_locks(const struct reached *r, const struct reached *more) {
    return (struct reached){r->access, unite(r->exclusive, more->exclusive), unite(r->shared, more->shared)};
}

/* [PDP, Fig. 4] l.5: does access `a` of the first one and `b` of the second one have no lock in common on some paths? */
static bool meet_unprotected(const struct reach *r, ground_id g, const struct reach *s, ground_id h, uint32_t a, uint32_t b) {
    struct reached at_a = held_at(g, a), at_b = held_at(h, b);
    for (uint32_t i = 0; i < r->access_count; i++) {
        if (r->accesses[i].access != a) continue;
        struct reached one = with_locks(&r->accesses[i], &at_a);
        for (uint32_t j = 0; j < s->access_count; j++) {
            if (s->accesses[j].access != b) continue;
            struct reached two = with_locks(&s->accesses[j], &at_b);
            if (!is_protected(&one, &two)) return true;
        }
    }
    return false;
}

static void note_data_conflict(uint32_t pair) {
    G->data_conflicts += !options.pair_conflicts[pair];
    options.pair_conflicts[pair] = 1;
}

/* A thread where it stands, with what is known of the bytes that it may touch. */
struct party { uint32_t position; ground_id ground; };

/* [DHTC, Fig. 8] l.3-8: thread states first, then locks. */
static bool may_come_together(const struct reach *r, ground_id g, const struct reach *s, ground_id h,
                              const struct found_race *pair) {
    return (is_race_state(g, pair->a, h, pair->b) && meet_unprotected(r, g, s, h, pair->a, pair->b)) ||
           (is_race_state(g, pair->b, h, pair->a) && meet_unprotected(r, g, s, h, pair->b, pair->a));
}

static bool race_between(const struct reach *r, ground_id g, const struct reach *s, ground_id h) {
    if (!r->is_known || !s->is_known) return true;
    if (r->access_count == 0 || s->access_count == 0) return false;
    bool any = false;
    for (uint32_t i = 0; i < options.pair_count; i++) {
        const struct found_race *pair = &options.pairs[i];
        if (options.pair_is_ordered[i] || (any && options.pair_conflicts[i])) continue;
        if (!may_come_together(r, g, s, h, pair)) continue;
        note_data_conflict(i);
        any = true;
    }
    return any;
}

static bool may_race(struct party one, struct party two) {
    if (one.position == NONE || two.position == NONE) return true;
    uint64_t p = (uint64_t)one.position * MAX_GROUNDS + one.ground, q = (uint64_t)two.position * MAX_GROUNDS + two.ground;
    uint64_t key = (p < q ? p << 32 | q : q << 32 | p) + 1;
    uint32_t slot = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 44) & (MEMO - 1);
    if (memo_keys[slot] != key) {
        memo_keys[slot] = key;
        bool may = race_between(reach_of(one.position), one.ground, reach_of(two.position), two.ground);
        race_memo[slot] = may ? 2 : 1;
    }
    return race_memo[slot] == 2;
}

/* ---- states */

/* Positions of all threads in one state; `functions`: of threads that may still be created; per thread, the keys of
 * accesses that it has made, with the latest epoch of each. */
struct made { uint32_t key, epoch; };
struct state {
    uint32_t position[RP_MAX_THREADS];
    const uint32_t *clock[RP_MAX_THREADS];
    uint64_t functions;
    bool is_known;
    struct made (*made)[MAX_KEYS]; /* of each thread; one region for all: there is room for few */
    uint32_t made_count[RP_MAX_THREADS];
};

static uint32_t function_position(uint32_t function) {
    /* the site of a creation that starts it: any will do, its other functions are may-starts as well */
    static uint32_t cache[64];
    if (cache[function] == 0) {
        uint32_t content = NONE;
        for (uint32_t i = 0; i < start_count && content == NONE; i++)
            if (start_rows[i].number == function) content = NOT_BEGUN | start_rows[i].point;
        if (content == NONE) return NONE;
        cache[function] = position_of(&content, 1, no_locks, no_locks);
    }
    return cache[function];
}

static void add_functions(struct state *s, uint64_t functions) {
    while ((functions & ~s->functions) != 0) {
        uint32_t f = (uint32_t)__builtin_ctzll(functions & ~s->functions);
        s->functions |= (uint64_t)1 << f;
        uint32_t p = function_position(f);
        if (p == NONE || !reach_of(p)->is_known) {
            s->is_known = false;
            return;
        }
        functions |= reach_of(p)->creates;
    }
}

/* Only this thread, of those that there are, may create others: they know what it knows. */
static bool only_creator(const struct state *s, uint32_t t) {
    for (uint32_t u = 0; u < G->paths; u++)
        if (u != t && s->position[u] != ENDED && reach_of(s->position[u])->creates != 0) return false;
    return true;
}

static bool past_may_race(uint32_t key, uint32_t position) {
    uint64_t number = ((uint64_t)1 << 63) | (uint64_t)key << 32 | position;
    uint32_t slot = (uint32_t)((number * 0x9e3779b97f4a7c15u) >> 44) & (MEMO - 1);
    if (memo_keys[slot] == number) return race_memo[slot] == 2;
    const struct reach *r = reach_of(position);
    struct reached made = {keys[key].access, keys[key].exclusive, keys[key].shared};
    bool may = !r->is_known;
    for (uint32_t i = 0; i < options.pair_count && !may; i++) {
        const struct found_race *pair = &options.pairs[i];
        if (options.pair_is_ordered[i] || (pair->a != made.access && pair->b != made.access)) continue;
        for (uint32_t j = 0; j < r->access_count && !may; j++) {
            uint32_t other = r->accesses[j].access;
            bool is_pair = (pair->a == made.access && pair->b == other) || (pair->b == made.access && pair->a == other);
            may = is_pair && !is_protected(&made, &r->accesses[j]);
        }
    }
    memo_keys[slot] = number;
    race_memo[slot] = may ? 2 : 1;
    return may;
}

/* May an access that was made race with one to come: of a thread that does not know of it yet? */
static bool past_race(const struct state *s) {
    for (uint32_t t = 0; t < G->paths; t++)
        for (uint32_t i = 0; i < s->made_count[t]; i++) {
            const struct made *m = &s->made[t][i];
            for (uint32_t u = 0; u < G->paths; u++) {
                if (u == t || s->position[u] == ENDED || m->epoch <= s->clock[u][t]) continue;
                if (past_may_race(m->key, s->position[u])) return true;
            }
            /* a thread to be created knows what its creator knows by then: at least what all threads know now */
            if (s->functions == 0) continue;
            bool all_know = true;
            for (uint32_t u = 0; u < G->paths && all_know; u++)
                all_know = s->position[u] == ENDED || u == t || m->epoch <= s->clock[u][t];
            bool may_create = s->position[t] != ENDED && reach_of(s->position[t])->creates != 0;
            if (all_know || (may_create && only_creator(s, t))) continue;
            for (uint64_t rest = s->functions; rest != 0; rest &= rest - 1)
                if (past_may_race(m->key, function_position((uint32_t)__builtin_ctzll(rest)))) return true;
        }
    return false;
}

static bool notes_all; /* a state is looked at to its end, though a race is possible there */

static bool state_may_race(struct state *s) {
    struct party at[RP_MAX_THREADS + 128];
    uint32_t count = 0;
    s->functions = 0;
    s->is_known = true;
    for (uint32_t t = 0; t < G->paths; t++) {
        if (s->position[t] == ENDED) continue;
        if (s->position[t] == NONE || !reach_of(s->position[t])->is_known) return true;
        at[count++] = (struct party){s->position[t], used->ground[t]};
        add_functions(s, reach_of(s->position[t])->creates);
    }
    if (!s->is_known) return true;
    for (uint64_t rest = s->functions; rest != 0; rest &= rest - 1) { /* two of each */
        uint32_t function = (uint32_t)__builtin_ctzll(rest);
        at[count] = at[count + 1] = (struct party){function_position(function), ground_of_function(function)};
        count += 2;
    }
    bool any = false;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count && (!any || notes_all); j++) any |= may_race(at[i], at[j]);
    return any || past_race(s);
}

static void add_made(struct state *s, const struct past *p) {
    if (s->made == NULL) s->made = reserve(sizeof *s->made * RP_MAX_THREADS);
    struct made *list = s->made[p->tid];
    for (uint32_t i = 0; i < s->made_count[p->tid]; i++)
        if (list[i].key == p->key) {
            list[i].epoch = p->epoch;
            return;
        }
    list[s->made_count[p->tid]++] = (struct made){p->key, p->epoch};
}

static struct state current; /* of the state that was found last */

uint32_t first_race_free(uint32_t from) {
    uint32_t n = G->event_count;
    if (!futures_usable || used->lost || G->has_cancel) return n + 1; /* ends of threads are not in the tables */
    memset(current.position, 0, sizeof current.position);
    memset(current.made_count, 0, sizeof current.made_count);
    uint32_t next = 0, next_past = 0;
    for (uint32_t i = 0; i <= n; i++) {
        bool changed = i == from;
        for (; next < used->stands && stands[next].from <= i; next++) {
            changed |= current.position[stands[next].tid] != stands[next].position;
            current.position[stands[next].tid] = stands[next].position;
            current.clock[stands[next].tid] = stand_clocks + (size_t)next * RP_MAX_THREADS;
        }
        for (; next_past < used->pasts && pasts[next_past].from <= i; next_past++) {
            add_made(&current, &pasts[next_past]);
            changed = true;
        }
        if (!changed || i < from) continue;
        G->subspace_checks++;
        if (!state_may_race(&current)) {
            G->subspace_race_free++;
            return i;
        }
    }
    return n + 1;
}

void futures_note_conflicts(void) {
    uint64_t checks = G->subspace_checks, free_ones = G->subspace_race_free;
    notes_all = true;
    (void)first_race_free(0);
    notes_all = false;
    G->subspace_checks = checks;
    G->subspace_race_free = free_ones;
}

/* ---- conflicts that were not seen */

#define LARGEST_ATOMIC 16

/* The operation at `site` may be an atomic access as well as one on a lock. */
static bool site_may_conflict(uint32_t site, const struct op *op) {
    if (op->global) return true;
    if (is_access(op) && op->kind != OP_ATOMIC) return false;
    if (site < site_limit && object_site[site] != NONE && object_site[site] < MAX_TOKENS) {
        uint32_t token = object_site[site];
        uintptr_t object = token == 0 ? 0 : (uintptr_t)program.tokens[token - 1];
        if (!is_access(op)) return op->object == object;
        return token != 0 && op->object < object + LARGEST_ATOMIC && object < op->object + op->size;
    }
    return true;
}

/* An access to come may be an atomic one, which is always an event: the tables do not say. */
static bool access_may_conflict(uint32_t access, ground_id ground, const struct op *op) {
    if (!is_access(op) || op->id == RP_NO_ACCESS) return op->kind == OP_ATOMIC;
    if (!may_touch_bytes(ground, access, op->object, op->size)) return false;
    for (uint32_t i = 0; i < options.pair_count; i++) {
        const struct found_race *p = &options.pairs[i];
        if ((p->a == access && p->b == op->id) || (p->b == access && p->a == op->id)) return true;
    }
    return false;
}

/* Is the operation at `site` certainly dependent on the event, as everything is that is about the same object? Then
 * events before this one are none of its business. What waits for a release can only come before the lock was taken;
 * what only reads may hide a write. */
static bool hides_earlier(uint32_t site, const struct op *op) {
    bool is_known = site < site_limit && object_site[site] != NONE && object_site[site] < MAX_TOKENS;
    return is_known && !is_access(op) && op->writes && op->kind != OP_UNLOCK && !op->global;
}

/* Where a thread stands at state `at`; null: it does not exist yet. */
static const struct stand *stand_at(uint32_t at, uint8_t tid) {
    uint32_t i = used->last_stand[tid];
    while (i != NONE && stands[i].from > at) i = stands[i].before;
    return i == NONE ? NULL : &stands[i];
}

/* What certainly comes before all that the thread does from state k on: before its last event, or before the last one that
 * its creator made until it was there. */
static const uint32_t *clock_at(uint32_t k, uint8_t tid) {
    static const uint32_t nothing[RP_MAX_THREADS];
    while (tid != NO_THREAD) {
        for (uint32_t i = k; i-- > 0;)
            if (events[i].tid == tid) return CLOCK(i);
        const struct stand *first = stand_at(k, tid);
        while (first != NULL && first->before != NONE) first = &stands[first->before];
        if (first == NULL) break;
        k = first->from;
        tid = G->thread_parent[tid];
    }
    return nothing;
}

static bool holds(const struct stand *s, uint32_t lock) {
    if (s == NULL || s->position == NONE || (s->wakes_with != 0 && lock_number(s->wakes_with) == lock)) return false;
    lockset wanted = no_locks;
    add_lock(&wanted, lock);
    return have_common(unite(positions[s->position].exclusive, positions[s->position].shared), wanted);
}

/* A thread that has the lock at state `at`: `preferred` if that one has it. */
static uint8_t holder_at(uint32_t at, uintptr_t object, uint8_t but, uint8_t preferred) {
    uint32_t lock = lock_number(object);
    uint8_t found = NO_THREAD;
    for (uint32_t t = 0; t < G->paths && lock != NONE; t++) {
        if (t == but || !holds(stand_at(at, (uint8_t)t), lock)) continue;
        if (t == preferred || found == NO_THREAD) found = (uint8_t)t;
    }
    return found;
}

/* Who must make a step at node `at` before thread `tid` can do anything that it has not done yet: itself, if it is enabled
 * there; else whom it waits for, or who creates it. `waiting` is not to make one: if it is needed, NEVER_LED. NO_THREAD:
 * that is not known. */
static uint8_t leader_at(uint32_t at, uint8_t tid, uint8_t waiting) {
    for (uint32_t i = 0; i <= G->paths; i++) {
        if (tid == waiting) return NEVER_LED;
        if (tid == NO_THREAD) return NO_THREAD;
        if (nodes[at].enabled & BIT(tid)) return tid;
        const struct stand *s = stand_at(at, tid);
        if (s == NULL) tid = G->thread_parent[tid];
        else if (s->joins != NO_THREAD) tid = s->joins;
        else if (s->waits) tid = holder_at(at, s->object, tid, waiting);
        else return NO_THREAD;
    }
    return NO_THREAD; /* they wait for one another */
}

/* Whose operations are asked for: those of thread `tid`, or those of a thread to be created, if only `creator` may do so
 * (NO_THREAD: others may, too). */
struct asking { uint32_t k, position; ground_id ground; uint8_t tid, creator; bool (*found)(uint32_t, uint8_t); };

static tset *asked; /* by event: threads that were asked for */

static bool tell(const struct asking *ask, uint32_t e) {
    uint32_t at = nodes[e].section != NONE && nodes[e].section < e ? nodes[e].section : e;
    uint8_t first = ask->tid != NO_THREAD ? ask->tid : ask->creator;
    uint8_t leader = leader_at(at, first, events[at].tid);
    if (first != NO_THREAD) asked[e] |= BIT(first);
    return leader == NEVER_LED || ask->found(at, leader);
}

/* Did the thread of event e hold a lock there with which the access to come cannot be made at that time? Then it is the
 * order of taking that lock which counts. */
static bool excluded_at(uint32_t e, const struct reached *access) {
    const struct stand *s = events[e].op.kind == OP_MEMORY ? stand_at(e, events[e].tid) : NULL;
    if (s == NULL || s->position == NONE) return false;
    struct reached made = {events[e].op.id, positions[s->position].exclusive, positions[s->position].shared};
    return is_protected(&made, access);
}

bool futures_excluded(uint32_t d, uint32_t at, uint8_t tid) {
    const struct stand *s = futures_usable && !used->lost ? stand_at(at, tid) : NULL;
    if (s == NULL || s->position == NONE) return false;
    struct reached there = {RP_NO_ACCESS, positions[s->position].exclusive, positions[s->position].shared};
    return excluded_at(d, &there);
}

static bool conflicts_of(const struct asking *ask) {
    const struct reach *r = reach_of(ask->position);
    uint8_t knows = ask->tid != NO_THREAD ? ask->tid : ask->creator;
    const uint32_t *clock = clock_at(ask->k, knows);
    for (uint32_t i = 0; i < r->sync_count + r->access_count && !must_stop(); i++) {
        bool is_sync = i < r->sync_count;
        uint32_t site = is_sync ? r->syncs[i] : NONE;
        const struct reached *access = is_sync ? NULL : &r->accesses[i - r->sync_count];
        for (uint32_t e = ask->k; e-- > 0;) {
            const struct event *ev = &events[e];
            if (ev->tid == ask->tid || clock[ev->tid] >= ev->number) continue;
            bool is_told = knows != NO_THREAD && (asked[e] & BIT(knows));
            if (is_told && !is_sync) continue;
            if (is_sync ? !site_may_conflict(site, &ev->op)
                        : !access_may_conflict(access->access, ask->ground, &ev->op) || excluded_at(e, access))
                continue;
            if (!is_told && !tell(ask, e)) return false;
            if (is_sync && hides_earlier(site, &ev->op)) break;
        }
    }
    return true;
}

/* The only thread that may create one that runs this function, from the current state on; NO_THREAD if there are
 * several. */
static uint8_t only_creator_of(uint32_t function) {
    uint8_t found = NO_THREAD;
    for (uint32_t t = 0; t < G->paths; t++) {
        if (current.position[t] == ENDED) continue;
        struct state alone = {.is_known = true};
        add_functions(&alone, reach_of(current.position[t])->creates);
        if (!(alone.functions >> function & 1)) continue;
        if (found != NO_THREAD) return NO_THREAD;
        found = (uint8_t)t;
    }
    return found;
}

bool future_conflicts(uint32_t k, bool (*found)(uint32_t e, uint8_t leader)) {
    if (asked == NULL) asked = reserve(sizeof *asked * MAX_EVENTS);
    memset(asked, 0, sizeof *asked * k);
    for (uint32_t t = 0; t < G->paths; t++) {
        struct asking ask = {k, current.position[t], used->ground[t], (uint8_t)t, NO_THREAD, found};
        if (current.position[t] != ENDED && !conflicts_of(&ask)) return false;
    }
    for (uint64_t rest = current.functions; rest != 0; rest &= rest - 1) {
        uint32_t function = (uint32_t)__builtin_ctzll(rest);
        struct asking ask = {k, function_position(function), ground_of_function(function),
                             NO_THREAD, only_creator_of(function), found};
        if (!conflicts_of(&ask)) return false;
    }
    return true;
}

static bool reaches_one_of(uint32_t position, uint32_t a, uint32_t b) {
    const struct reach *r = position == NONE ? NULL : reach_of(position);
    if (r == NULL || !r->is_known) return true;
    for (uint32_t i = 0; i < r->access_count; i++)
        if (r->accesses[i].access == a || r->accesses[i].access == b) return true;
    return false;
}

tset futures_may_come(tset tids, uint32_t a, uint32_t b) {
    if (!futures_usable || used->lost) return tids;
    tset found = 0;
    for (tset rest = tids; rest != 0; rest &= rest - 1) {
        uint32_t t = (uint32_t)__builtin_ctzll(rest);
        uint32_t position = used->last_stand[t] == NONE ? NONE : stands[used->last_stand[t]].position;
        bool may = reaches_one_of(position, a, b);
        struct state alone = {.is_known = true};
        if (!may) add_functions(&alone, reach_of(position)->creates);
        for (uint64_t new = alone.functions; new != 0 && !may; new &= new - 1)
            may = reaches_one_of(function_position((uint32_t)__builtin_ctzll(new)), a, b);
        if (may || !alone.is_known) found |= BIT(t);
    }
    return found;
}

void futures_met(uint32_t a, uint32_t b) {
    static uint64_t seen[1024]; /* the same ones come again and again */
    uint64_t key = (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
    uint64_t *slot = &seen[(key * 0x9e3779b97f4a7c15u) >> 54];
    if (*slot == key + 1) return;
    *slot = key + 1;
    for (uint32_t i = 0; i < options.pair_count; i++) {
        const struct found_race *p = &options.pairs[i];
        if ((p->a == a && p->b == b) || (p->a == b && p->b == a)) note_data_conflict(i);
    }
}

void futures_leave_out(uint32_t a, uint32_t b) {
    for (uint32_t i = 0; i < options.pair_count; i++) {
        const struct found_race *p = &options.pairs[i];
        if ((p->a != a || p->b != b) && (p->a != b || p->b != a)) continue;
        note_data_conflict(i); /* confirmed */
        options.pair_is_ordered[i] = 1;
    }
    if (futures_usable) memset(memo_keys, 0, sizeof *memo_keys * MEMO);
}

/* ---- beginning */

#define INDEX_ROWS(rows, count, first, number)                                    \
    do {                                                                          \
        if ((count) > 0) qsort(rows, count, sizeof *(rows), by_point);            \
        for (uint32_t i_ = (count); i_-- > 0;) {                                  \
            points[(rows)[i_].point].first = i_;                                  \
            points[(rows)[i_].point].number++;                                    \
        }                                                                         \
    } while (0)

static void widen(struct change *change) {
    if (change->unnamed) change->released = unite(change->released, unnamed_locks());
}

void futures_ready(void) {
    options.pair_is_ordered = calloc(options.pair_count + 1, 1);
    options.pair_conflicts = calloc(options.pair_count + 1, 1);
    for (uint32_t i = 0; i < options.pair_count; i++)
        options.pair_is_ordered[i] = is_ordered(options.pairs[i].a, options.pairs[i].b);
    futures_usable = seen_any && !refused && point_count > 0;
    if (!futures_usable) return;
    INDEX_ROWS(access_rows, access_count, first_access, accesses);
    INDEX_ROWS(sync_rows, sync_count, first_sync, syncs);
    INDEX_ROWS(create_rows, create_count, first_create, creates);
    for (uint32_t i = 0; i < access_count; i++) widen(&access_rows[i].change);
    for (uint32_t i = 0; i < point_count; i++) widen(&points[i].leave);
    lock_addresses = reserve(sizeof *lock_addresses * MAX_TOKENS);
    positions = reserve(sizeof *positions * MAX_POSITIONS);
    position_table = reserve(sizeof *position_table * 2 * MAX_POSITIONS);
    words = reserve(sizeof *words * POSITION_WORDS);
    stands = reserve(sizeof *stands * MAX_STANDS);
    stand_clocks = reserve(sizeof *stand_clocks * MAX_STANDS * RP_MAX_THREADS);
    keys = reserve(sizeof *keys * MAX_KEYS);
    pasts = reserve(sizeof *pasts * MAX_PASTS);
    used = reserve(sizeof *used);
    used->positions = 1;
    ownership_ready(token_count > 0 ? token_count - 1 : 0);
    reaches = reserve(sizeof *reaches * MAX_POSITIONS);
    race_memo = reserve(MEMO);
    memo_keys = reserve(sizeof *memo_keys * MEMO);
}
