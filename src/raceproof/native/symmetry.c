/* symmetry.c: threads that nobody can tell apart, for the search over states (search_states.c): docs/algorithms/states.md.
 *
 * Two states that differ only in the names of threads have the same future: what a thread may still do is in its part of
 * the state, whatever its number [ID96]. So a state is told with the parts of such threads in a fixed order. Any order
 * would be sound; this one makes most of the states that are the same look the same.
 *
 * A number shows in three ways. In objects (owners, waiters), where it is renamed. In addresses of the thread's own memory
 * (stack, thread-local variables, heap): a thread to whose memory a pointer may lead from anywhere keeps its place. And in
 * handles. Threads that one thread has created to run one function, of which none was joined yet, are a *gang*. Who joins
 * one of a gang waits until all of it have ended: nobody sees whether it has joined some of them already, if all that it
 * does in between is to join others of the gang. That is not assumed but tried, whenever some of a gang have ended: the
 * joining thread goes on as if it had joined as many as have ended, whichever these are (`states_peek`). If it does
 * anything else, or if a thread asks for its own handle, the search begins anew with all threads told apart.
 */

#include "states.h"

#include <stdlib.h>

#include "fiber.h"
#include "heap.h"
#include "program.h"

bool symmetry_is_on;

static struct { const char *from, *to; } records[RP_MAX_THREADS];
static uint8_t names[RP_MAX_THREADS]; /* in the state that is told */
static bool is_renamed;
static uint64_t renamed_count;

void symmetry_begin(void) {
    symmetry_is_on = options.symmetry;
    renamed_count = 0;
}

/* Threads can be told apart. */
void symmetry_break(void) {
    if (!symmetry_is_on) return;
    symmetry_is_on = false;
    G->restart = 1;
}

uint64_t symmetry_count(void) { return renamed_count; }

/* ---- gangs */

void symmetry_created(struct thread *t) {
    t->gang = t->tid;
    for (uint32_t u = 0; u < G->paths; u++) {
        const struct thread *other = &threads[u];
        if (other == t || other->state == T_UNUSED || other->joined || other->parent != t->parent) continue;
        if (other->start == t->start && other->detached == t->detached) {
            t->gang = other->gang;
            return;
        }
    }
}

static tset members(uint8_t gang) {
    tset found = 0;
    for (uint32_t t = 0; t < G->paths; t++)
        if (threads[t].state != T_UNUSED && threads[t].gang == gang) found |= BIT(t);
    return found;
}

static tset ended(tset among) {
    tset found = 0;
    for (; among != 0; among &= among - 1)
        if (threads[__builtin_ctzll(among)].state == T_FINISHED) found |= among & -among;
    return found;
}

static bool is_alone(tset gang) { return (gang & (gang - 1)) == 0; }

bool symmetry_may_join(const struct thread *target) {
    if (target->state != T_FINISHED) return false;
    tset gang = members(target->gang);
    return ended(gang) == gang;
}

uint8_t symmetry_last_of(uint8_t tid) {
    tset gang = members(threads[tid].gang), left = gang & ~ended(gang);
    return left != 0 ? (uint8_t)__builtin_ctzll(left) : tid;
}

void symmetry_joins(const struct thread *target, bool waits) {
    tset gang = members(target->gang);
    if (is_alone(gang)) return;
    bool is_detached = false;
    for (tset rest = gang; rest != 0; rest &= rest - 1) is_detached |= threads[__builtin_ctzll(rest)].detached;
    if (!waits || is_detached || self->tid != target->parent) symmetry_break();
}

void symmetry_looks_at_result(const struct thread *target) {
    for (tset rest = ended(members(target->gang)); !is_alone(members(target->gang)) && rest != 0; rest &= rest - 1)
        if (threads[__builtin_ctzll(rest)].result != NULL) symmetry_break();
}

/* A thread that stands before the join of one of a gang, some of which have ended, but not all; NULL: none from `from` on. */
struct thread *symmetry_joiner(uint32_t from, uint32_t *count) {
    for (uint32_t t = from; t < G->paths; t++) {
        if (threads[t].state != T_READY || threads[t].pending.kind != OP_JOIN) continue;
        tset gang = members(threads[threads[t].pending.id].gang), over = ended(gang);
        *count = (uint32_t)__builtin_popcountll(over);
        if (over != 0 && over != gang) return &threads[t];
    }
    return NULL;
}

/* ---- telling */

void symmetry_record(uint8_t tid, const char *from, const char *to) {
    records[tid].from = from;
    records[tid].to = to;
}

/* Those with memory at this address, or that ends there. */
static tset owners(uintptr_t at, tset among) {
    tset found = 0;
    for (tset rest = among; rest != 0; rest &= rest - 1) {
        const struct thread *t = &threads[__builtin_ctzll(rest)];
        if (at - (uintptr_t)t->fiber.stack <= t->fiber.stack_size || program_is_local(t, at) || heap_is_of(t->tid, (void *)at))
            found |= rest & -rest;
    }
    return found;
}

/* Wherever eight bytes look like such an address. */
static tset pointed_to(const char *from, const char *to, tset among) {
    uintptr_t low = UINTPTR_MAX, high = 0;
    tset found = 0;
    for (tset rest = among; rest != 0; rest &= rest - 1) {
        const struct thread *t = &threads[__builtin_ctzll(rest)];
        uintptr_t parts[3][2] = {{(uintptr_t)t->fiber.stack, (uintptr_t)t->fiber.stack + t->fiber.stack_size}};
        program_locals_of(t, parts[1]);
        heap_part_of(t->tid, parts[2]);
        for (int i = 0; i < 3; i++) {
            if (parts[i][0] == parts[i][1]) continue;
            if (parts[i][0] < low) low = parts[i][0];
            if (parts[i][1] > high) high = parts[i][1];
        }
    }
    for (; from + sizeof(uintptr_t) <= to; from++) {
        uintptr_t value;
        memcpy(&value, from, sizeof value);
        if (value - low <= high - low) found |= owners(value, among & ~found);
    }
    return found;
}

static int order_of(uint8_t a, uint8_t b) {
    size_t size_a = (size_t)(records[a].to - records[a].from), size_b = (size_t)(records[b].to - records[b].from);
    if (size_a != size_b) return size_a < size_b ? -1 : 1;
    int order = memcmp(records[a].from, records[b].from, size_a);
    if (order != 0) return order;
    uint64_t uses_a = objects_uses(a), uses_b = objects_uses(b);
    return uses_a < uses_b ? -1 : uses_a > uses_b;
}

/* Give the threads of the set, which are of one gang, their names in this set by the order of their records. */
static bool order_gang(tset gang) {
    uint8_t sorted[RP_MAX_THREADS];
    uint32_t count = 0;
    bool moves = false;
    for (tset rest = gang; rest != 0; rest &= rest - 1) {
        uint8_t t = (uint8_t)__builtin_ctzll(rest);
        uint32_t at = count++;
        for (; at > 0 && order_of(t, sorted[at - 1]) < 0; at--) sorted[at] = sorted[at - 1];
        sorted[at] = t;
    }
    uint32_t i = 0;
    for (tset rest = gang; rest != 0; rest &= rest - 1, i++) {
        names[sorted[i]] = (uint8_t)__builtin_ctzll(rest);
        moves |= names[sorted[i]] != sorted[i];
    }
    return moves;
}

static bool order_gangs(tset among) {
    bool moves = false;
    for (uint32_t t = 0; t < G->paths; t++) names[t] = (uint8_t)t;
    while (among != 0) {
        tset gang = members(threads[__builtin_ctzll(among)].gang) & among;
        if (!is_alone(gang)) moves |= order_gang(gang);
        among &= ~gang;
    }
    return moves;
}

/* The records lie one behind the other, in the order of the threads. */
static void move_records(char *from, char *to) {
    static char *copy;
    static size_t room;
    size_t size = (size_t)(to - from);
    if (size > room) {
        free(copy);
        room = 2 * size;
        copy = malloc(room);
        if (copy == NULL) abort();
    }
    memcpy(copy, from, size);
    uint8_t who[RP_MAX_THREADS];
    for (uint32_t t = 0; t < G->paths; t++) who[names[t]] = (uint8_t)t;
    char *at = from;
    for (uint32_t t = 0; t < G->paths; t++) {
        if (threads[t].state == T_UNUSED) continue;
        size_t length = (size_t)(records[who[t]].to - records[who[t]].from);
        memcpy(at, copy + (records[who[t]].from - from), length);
        at += length;
    }
}

/* All but the objects has been told, from `from` to `to`; the records of the threads are in [first, last). */
void symmetry_order(char *from, char *first, char *last, char *to) {
    is_renamed = false;
    if (!symmetry_is_on) return;
    tset may_move = 0;
    for (uint32_t t = 1; t < G->paths; t++)
        if (threads[t].state != T_UNUSED && threads[t].children == 0) may_move |= BIT(t);
    may_move &= ~persistent_apart();
    if (!order_gangs(may_move)) return;
    tset stay = pointed_to(from, to, may_move) | objects_lie_in(may_move, owners);
    if (stay != 0 && !order_gangs(may_move & ~stay)) return;
    is_renamed = true;
    renamed_count++;
    move_records(first, last);
}

uint8_t symmetry_name(uint8_t tid) { return is_renamed && tid < RP_MAX_THREADS ? names[tid] : tid; }

tset symmetry_names(tset set) {
    if (!is_renamed) return set;
    tset renamed = 0;
    for (; set != 0; set &= set - 1) renamed |= BIT(names[__builtin_ctzll(set)]);
    return renamed;
}
