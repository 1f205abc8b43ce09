/* monitors.c: objects that are used under a lock only, for the search over states (search_states.c).
 *
 * Follows [SC03]: who holds the lock m under which all operations on an object are done goes on with such an operation
 * without a scheduling point before it. Nobody else operates on the object meanwhile, so what it does commutes with all
 * that others may do before m is given back. What waiting threads do commutes, too: a wake-up only brings them to where they
 * wait for m, and can as well come before the operation in front of which the section's thread stood last.
 *
 * That an object is used under a lock only is assumed and checked: for each object the locks are kept that were held at
 * all operations so far. The first one without any of them is reached by this search as well, since all is as assumed up
 * to there; then the search begins anew with this object's operations as scheduling points.
 */

#include "states.h"

#include "sync.h"

#define MAX_MONITORED 512
#define MAX_COMMON 4
#define MAX_IN_A_ROW 64 /* else a loop of such operations would never come to a state */

static struct monitored {
    uintptr_t object;
    uintptr_t locks[MAX_COMMON];
    uint8_t count;
    bool is_open, was_used;
} monitored[MAX_MONITORED];
static uint32_t monitored_count, in_a_row;
static uint64_t merged_count;

void monitors_begin(void) {
    monitored_count = 0;
    merged_count = 0;
}

void monitors_step(void) { in_a_row = 0; }

uint64_t monitors_count(void) { return merged_count; }

static bool holds(uintptr_t lock) {
    for (uint32_t i = 0; i < self->held_count; i++)
        if (self->held[i].object == lock && !self->held[i].shared) return true;
    return false;
}

static struct monitored *entry_of(uintptr_t object) {
    for (uint32_t i = 0; i < monitored_count; i++)
        if (monitored[i].object == object) return &monitored[i];
    if (monitored_count == MAX_MONITORED) return NULL;
    struct monitored *m = &monitored[monitored_count++];
    *m = (struct monitored){.object = object};
    for (uint32_t i = 0; i < self->held_count && m->count < MAX_COMMON; i++)
        if (!self->held[i].shared && self->held[i].object != object) m->locks[m->count++] = self->held[i].object;
    return m;
}

bool monitor_holds(uintptr_t object) {
    if (!follows_states || !options.monitors) return false;
    struct monitored *m = entry_of(object);
    if (m == NULL || m->is_open) return false;
    for (uint32_t i = m->count; i-- > 0;)
        if (!holds(m->locks[i])) m->locks[i] = m->locks[--m->count];
    if (m->count == 0) {
        m->is_open = true;
        if (m->was_used) G->restart = 1;
        return false;
    }
    if (++in_a_row > MAX_IN_A_ROW) return false;
    merged_count++;
    return m->was_used = true;
}
