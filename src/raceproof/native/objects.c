/* objects.c: the state of mutexes, conditions, semaphores, barriers, for raceproof.explore.
 *
 * It is kept beside the program's memory; the first word of the program's object holds a cookie that finds it. The
 * cookie goes away when the program writes an initialiser there, or when memory is put back between executions:
 * the object is then a new one, as it is for a real library.
 */

#include "rt.h"

#include <pthread.h>
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

__attribute__((noinline)) struct object *object_fresh(const void *address, enum object_type type) {
    if (object_count == MAX_OBJECTS) {
        limit_reached(RP_LIMIT_OBJECTS);
        end_execution(CUT_THREADS);
    }
    enum mutex_kind kind = initial_kind(address, type);
    struct object *o = &objects[object_count];
    clear(o, type);
    o->address = (uintptr_t)address;
    o->mutex_kind = (uint8_t)kind;
    uint32_t cookie = COOKIE + object_count++;
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

/* POSIX leaves open what becomes of a lock that somebody has, or uses, when it is initialised. What lies on a stack may
 * be left over from a function that has returned. */
void object_unused(const void *address, enum object_type type) {
    const struct object *o = known_at(address, type);
    uintptr_t into_stack = (uintptr_t)address - (uintptr_t)self->fiber.stack;
    if (o == NULL || into_stack < self->fiber.stack_size) return;
    if (o->owner != NO_THREAD || o->readers != 0)
        report_other("initialise", "a lock is initialised while it is held", rp_site);
    else if (!o->destroyed && !(is_before_me(o->hb) && is_before_me(o->hb_readers)))
        report_other("initialise", "a lock is initialised while other threads may use it", rp_site);
}

struct object *object_made(const void *address, enum object_type type) {
    struct object *o = object_fresh(address, type);
    o->maker = self->tid;
    o->made_at = self->hb[self->tid];
    return o;
}

void object_in_making(void) {
    report_other("initialise", "a lock is used that another thread may be initialising", rp_site);
}
