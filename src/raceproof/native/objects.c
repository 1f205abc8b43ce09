/* objects.c: the state of mutexes, conditions, semaphores, barriers, for raceproof.explore.
 *
 * It is kept beside the program's memory; the first word of the program's object holds a cookie that finds it. The
 * cookie goes away when the program writes an initialiser there, or when memory is put back between executions:
 * the object is then a new one, as it is for a real library.
 */

#include "states.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "program_types.h"

#define MAX_OBJECTS (1u << 16)
#define COOKIE 0x52500000u /* "RP", then the index: no initialiser looks like that */
_Static_assert((COOKIE & (MAX_OBJECTS - 1)) == 0, "the index has its own bits");
_Static_assert(sizeof(pthread_once_t) >= sizeof(uint32_t) && sizeof(pthread_spinlock_t) >= sizeof(uint32_t),
               "the smallest objects hold a cookie");

static struct object *objects;
static uint32_t object_count;
static struct object section; /* of __VERIFIER_atomic_begin: has no address */
static struct object outside; /* all that threads tell one another through the system */
static bool outside_is_used;

static void clear(struct object *o, enum object_type type) {
    uint32_t n = G->paths;
    memset(o, 0, offsetof(struct object, hb));
    memset(o->hb, 0, n * sizeof *o->hb);
    memset(o->hb_readers, 0, n * sizeof *o->hb_readers);
    memset(o->dep, 0, n * sizeof *o->dep);
    memset(o->dep_readers, 0, n * sizeof *o->dep_readers);
    o->type = (uint8_t)type;
    o->owner = o->maker = NO_THREAD;
}

void objects_reset(void) {
    if (objects == NULL) {
        objects = mmap(NULL, sizeof(struct object) * MAX_OBJECTS, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (objects == MAP_FAILED) abort();
    }
    object_count = 0;
    clear(&section, O_SECTION);
    outside_is_used = false;
}

/* What a static initialiser says about the type of a mutex. */
static enum mutex_kind initial_kind(const void *address, enum object_type type) {
    if (type != O_MUTEX) return M_NORMAL;
    int kind;
    memcpy(&kind, (const char *)address + PROGRAM_MUTEX_KIND, sizeof kind);
    switch (kind & 3) {
    case 1: return M_RECURSIVE;
    case 2: return M_ERRORCHECK;
    default: return M_NORMAL;
    }
}

static void clear_column(struct object *o, uint32_t tid) {
    o->hb[tid] = o->hb_readers[tid] = o->dep[tid] = o->dep_readers[tid] = 0;
}

void objects_grow(uint32_t tid) {
    for (uint32_t i = 0; i < object_count; i++) clear_column(&objects[i], tid);
    clear_column(&section, tid);
    clear_column(&outside, tid);
}

/* When states are followed, an object at one place always has the same number: in which order objects were used first must
 * not tell states apart, nor may a program without end use up the numbers. */
static struct object *place_of(const void *address, enum object_type type) {
    for (uint32_t i = 0; i < object_count; i++)
        if (objects[i].address == (uintptr_t)address && objects[i].type == type) return &objects[i];
    return &objects[object_count++];
}

__attribute__((noinline)) struct object *object_fresh(const void *address, enum object_type type) {
    if (object_count == MAX_OBJECTS) {
        limit_reached(RP_LIMIT_OBJECTS);
        end_execution(CUT_THREADS);
    }
    enum mutex_kind kind = initial_kind(address, type);
    struct object *o = follows_states ? place_of(address, type) : &objects[object_count++];
    uint32_t covered, cookie = COOKIE + (uint32_t)(o - objects);
    memcpy(&covered, address, sizeof covered);
    if (covered == cookie) covered = o->covered; /* it is made anew */
    clear(o, type);
    o->covered = covered;
    o->address = (uintptr_t)address;
    o->mutex_kind = (uint8_t)kind;
    memcpy((void *)(uintptr_t)address, &cookie, sizeof cookie);
    return o;
}

static struct object *known_at(const void *address, enum object_type type) {
    uint32_t cookie;
    memcpy(&cookie, address, sizeof cookie);
    uint32_t index = cookie - COOKIE;
    if (index < object_count && objects[index].address == (uintptr_t)address && objects[index].type == type)
        return &objects[index];
    return NULL;
}

uint32_t object_index(const struct object *o) { return (uint32_t)(o - objects); }

/* Those without an address. */
static __attribute__((noinline)) struct object *single_object(enum object_type type) {
    if (type == O_SECTION) return &section;
    if (!outside_is_used) clear(&outside, O_OUTSIDE);
    outside_is_used = true;
    return &outside;
}

struct object *object_at(const void *address, enum object_type type) {
    if (__builtin_expect(type == O_SECTION || type == O_OUTSIDE, 0)) return single_object(type);
    struct object *o = known_at(address, type);
    return o != NULL ? o : object_fresh(address, type);
}

static bool is_before_me(const uint32_t *clock) {
    for (uint32_t t = 0; t < G->paths; t++)
        if (clock[t] > self->hb[t]) return false;
    return true;
}

/* A lock that two may have at once from here on: what then looks like a race is a consequence, in what C leaves open. */
static void lock_is_lost(const char *message) {
    report_other("initialise", message, rp_site);
    G->is_lock_lost = true;
}

/* POSIX leaves open what becomes of a lock that somebody has, or uses, when it is initialised. What lies on a stack may
 * be left over from a function that has returned. */
void object_unused(const void *address, enum object_type type) {
    if (follows_states) return; /* see object_made */
    const struct object *o = known_at(address, type);
    uintptr_t into_stack = (uintptr_t)address - (uintptr_t)self->fiber.stack;
    if (o == NULL || into_stack < self->fiber.stack_size) return;
    if (o->owner != NO_THREAD || o->readers != 0)
        lock_is_lost("a lock is initialised while it is held");
    else if (!o->destroyed && !(is_before_me(o->hb) && is_before_me(o->hb_readers)))
        lock_is_lost("a lock is initialised while other threads may use it");
}

/* Whether the initialisation is ordered before each use would be a matter of happens-before, which is no part of a state:
 * there it must be the only thread. */
static bool others_are_gone(void) {
    for (uint32_t t = 0; t < G->paths; t++)
        if (t != self->tid && threads[t].state != T_UNUSED && !(threads[t].state == T_FINISHED && threads[t].joined))
            return false;
    return true;
}

struct object *object_made(const void *address, enum object_type type) {
    struct object *o = object_fresh(address, type);
    if (follows_states) {
        if (!others_are_gone())
            report_bounded("a lock is initialised while other threads run, which `states` does not order", rp_site);
        return o;
    }
    o->maker = self->tid;
    o->made_at = self->hb[self->tid];
    return o;
}

void object_in_making(void) {
    lock_is_lost("a lock is used that another thread may be initialising");
}

/* ---- states */

void objects_keep(void) {
    for (uint32_t i = 0; i < object_count; i++) {
        struct object *o = &objects[i];
        state_keep(o, offsetof(struct object, token_ticket));
        state_keep(o->token_ticket, o->tokens * sizeof *o->token_ticket);
    }
    state_keep(&section, offsetof(struct object, token_ticket));
}

static bool has_cookie(uint32_t i) {
    uint32_t cookie;
    memcpy(&cookie, (void *)objects[i].address, sizeof cookie);
    return cookie == COOKIE + i;
}

static uint64_t uncovered[MAX_OBJECTS / 64];

void objects_uncover(void) {
    for (uint32_t i = 0; i < object_count; i++) {
        if (i % 64 == 0) uncovered[i / 64] = 0;
        if (!has_cookie(i)) continue;
        uncovered[i / 64] |= (uint64_t)1 << (i % 64);
        memcpy((void *)objects[i].address, &objects[i].covered, sizeof objects[i].covered);
    }
}

static bool is_uncovered(uint32_t i) { return uncovered[i / 64] >> (i % 64) & 1; }

void objects_cover(void) {
    for (uint32_t i = 0; i < object_count; i++) {
        uint32_t cookie = COOKIE + i;
        if (is_uncovered(i)) memcpy((void *)objects[i].address, &cookie, sizeof cookie);
    }
}

/* What of the objects concerns a thread beyond what it tells itself; so that equal states look equal. */
uint64_t objects_uses(uint8_t tid) {
    uint64_t found = 0;
    for (uint32_t i = 0; i < object_count; i++) {
        const struct object *o = &objects[i];
        if (o->address == 0 || !((o->users | o->waiting | o->arrivals | o->readers) & BIT(tid))) continue;
        uint64_t use = (o->users & BIT(tid)) != 0;
        for (uint32_t k = 0; k < o->tokens; k++) use += (uint64_t)(o->token_ticket[k] > threads[tid].wait_ticket) << 1;
        found = (found ^ (use + i)) * 0x9e3779b97f4a7c15u;
    }
    return found;
}

/* Those of the threads in whose memory there are objects. */
tset objects_lie_in(tset among, tset (*owners)(uintptr_t at, tset among)) {
    tset found = 0;
    for (uint32_t i = 0; i < object_count; i++) found |= owners(objects[i].address, among);
    return found;
}

/* Of a token only who may take it tells: those whose turn to wait came before. */
static tset takers(const struct object *o, uint32_t token) {
    tset found = 0;
    for (tset rest = o->waiting; rest != 0; rest &= rest - 1) {
        uint32_t t = (uint32_t)__builtin_ctzll(rest);
        if (o->token_ticket[token] > threads[t].wait_ticket) found |= BIT(t);
    }
    return found;
}

static void tell_object(const struct object *o) {
    const uint8_t small[] = {o->type,      o->mutex_kind, o->robust, o->owner_died, o->unrecoverable,
                             o->destroyed, symmetry_name(o->owner), o->once};
    const uint64_t numbers[] = {o->address, o->depth,    symmetry_names(o->readers), o->reader_depth,
                                (uint64_t)o->value, o->arrived, symmetry_names(o->arrivals), symmetry_names(o->users),
                                symmetry_names(o->waiting), o->once == 1 ? o->once_frame : 0, o->tokens};
    state_tell(small, sizeof small);
    state_tell(numbers, sizeof numbers);
    for (uint32_t i = 0; i < o->tokens; i++) state_tell_number(symmetry_names(takers(o, i)));
}

/* As one that was never used: nobody can tell the two apart. */
static bool is_as_new(const struct object *o) {
    return o->owner == NO_THREAD && o->readers == 0 && o->value == 0 && o->arrived == 0 && o->users == 0 &&
           o->waiting == 0 && o->tokens == 0 && o->once == 0 && !o->destroyed && !o->owner_died && !o->unrecoverable &&
           !o->robust && o->mutex_kind == M_NORMAL;
}

/* Called while they are uncovered: an object without its cookie is gone. */
void objects_tell(void) {
    for (uint32_t i = 0; i < object_count; i++)
        if (is_uncovered(i) && !is_as_new(&objects[i])) tell_object(&objects[i]);
    if (!is_as_new(&section)) tell_object(&section);
}
