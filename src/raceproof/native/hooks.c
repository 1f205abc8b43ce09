/* hooks.c: what the instrumented program calls, for raceproof.explore. */

#include <string.h>

#include "futures.h"
#include "heap.h"
#include "sampled.h"
#include "sched.h"
#include "weaker.h"

uint32_t rp_site;

static void check_freed(const struct op *op) {
    if (samples) return; /* its shadow knows */
    if (!heap_contains((void *)op->object)) return;
    void *base;
    size_t size;
    int owner, number;
    if (heap_find((void *)op->object, &base, &size, &owner, &number) == HEAP_FREED)
        report_other("use after free", op->writes ? "write to freed memory" : "read of freed memory", op->id);
}

static void keep_poll(const struct op *op) {
    if (self->poll_count == MAX_POLLS || op->size > sizeof self->polls->value) {
        self->poll_overflow = 1;
        return;
    }
    struct poll *p = &self->polls[self->poll_count++];
    p->address = (void *)op->object;
    p->size = op->size;
    memcpy(p->value, p->address, op->size);
}

static inline void touch(const void *address, uint32_t access, uint64_t size, bool writes, const char *what) {
    if (address == NULL || size == 0) return;
    struct op op = {.kind = OP_MEMORY, .writes = writes, .size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size,
                    .id = access, .object = (uintptr_t)address};
    point(&op, visible_access[access], what);
    if (self->polling) keep_poll(&op);
    if (options.algorithm->hb) detect(&op);
    if (!options.algorithm->accesses) futures_past(self, access);
    check_freed(&op);
}

void rp_read(const void *address, uint32_t access, uint32_t size) { touch(address, access, size, false, "read"); }

void rp_write(void *address, uint32_t access, uint32_t size) { touch(address, access, size, true, "write"); }

void rp_read_range(const void *address, uint32_t access, uint64_t length) {
    touch(address, access, length, false, "read");
}

void rp_write_range(void *address, uint32_t access, uint64_t length) {
    self->written = (struct written){(uintptr_t)address, length, access};
    touch(address, access, length, true, "write");
}

uint32_t rp_written(const void *address, uint64_t length) {
    const struct written *w = &self->written;
    return w->address == (uintptr_t)address && w->length == length ? w->access : RP_NO_ACCESS;
}

void rp_read_string(const char *string, uint32_t access) {
    if (string != NULL) touch(string, access, strlen(string) + 1, false, "read");
}

/* More than an operation can say is left out, and bounds the search. */
static void find_unsure(struct op *op, uint32_t stop, const char *other, uint64_t number) {
    uint64_t certain = certain_bytes((const char *)op->object, stop, other, number);
    uint32_t unsure = certain < op->size ? op->size - (uint32_t)certain : 0;
    if (unsure > UINT16_MAX) {
        note_unsure(op->site);
        op->size -= unsure - UINT16_MAX;
        unsure = UINT16_MAX;
    }
    op->unsure = (uint16_t)unsure;
}

void rp_read_stopped(const char *address, uint32_t access, uint32_t stop, const char *other, uint64_t number,
                     uint32_t site) {
    if (address == NULL) return;
    uint64_t most = possible_bytes(address, stop, number);
    if (most == 0) return;
    struct op op = {.kind = OP_MEMORY, .size = most > UINT32_MAX ? UINT32_MAX : (uint32_t)most, .id = access,
                    .site = site, .object = (uintptr_t)address};
    find_unsure(&op, stop, other, number);
    point(&op, visible_access[access], "read");
    find_unsure(&op, stop, other, number); /* others may have changed it meanwhile */
    if (self->polling) keep_poll(&op);
    if (options.algorithm->hb) detect(&op);
    if (!options.algorithm->accesses) futures_past(self, access);
    check_freed(&op);
}

void rp_write_string(const char *string, uint32_t access) {
    if (string != NULL) touch(string, access, strlen(string) + 1, true, "write");
}

void rp_free_access(void *block, uint32_t access) {
    void *base;
    size_t size;
    int owner, number;
    if (block == NULL) return;
    if (heap_find(block, &base, &size, &owner, &number) != HEAP_LIVE) return; /* free itself will complain */
    touch(base, access, size > 0 ? size : 1, true, "free");
    if (samples) sample_freed(base, size > 0 ? size : 1, access);
}

uint64_t rp_block_size(const void *block) {
    void *base;
    size_t size;
    int owner, number;
    return block != NULL && heap_find((void *)block, &base, &size, &owner, &number) == HEAP_LIVE ? size : 0;
}

/* ---- atomics */

static struct op atomic_op(const void *address, uint32_t access, uint32_t size, uint32_t order, bool writes) {
    return (struct op){.kind = OP_ATOMIC, .writes = writes, .size = size, .id = access, .order = (uint8_t)order,
                       .object = (uintptr_t)address, .site = rp_site};
}

static inline void look(const struct op *op) {
    if (op->id == RP_NO_ACCESS) return;
    if (options.algorithm->hb) detect(op);
    if (!options.algorithm->accesses) futures_past(self, op->id);
    check_freed(op);
}

void rp_atomic_load(const void *address, uint32_t access, uint32_t size, uint32_t order) {
    struct op op = atomic_op(address, access, size, order, false);
    point(&op, true, "atomic load");
    if (self->polling) keep_poll(&op);
    atomic_acquire(&op);
    look(&op);
}

void rp_atomic_store(void *address, uint32_t access, uint32_t size, uint32_t order) {
    struct op op = atomic_op(address, access, size, order, true);
    point(&op, true, "atomic store");
    look(&op);
    atomic_release(&op, false);
}

void rp_atomic_rmw(void *address, uint32_t access, uint32_t size, uint32_t order) {
    struct op op = atomic_op(address, access, size, order, true);
    op.updates = 1;
    point(&op, true, "atomic update");
    if (self->polling) keep_poll(&op);
    atomic_acquire(&op);
    look(&op);
    atomic_release(&op, true);
}

void rp_cas(void *address, uint32_t access, uint32_t size, uint32_t order, uint32_t failure_order) {
    struct op op = atomic_op(address, access, size, order, true);
    op.exchange = op.undecided = op.updates = 1;
    point(&op, true, "compare-exchange");
    if (self->polling) keep_poll(&op);
    self->exchange = op;
    self->failure_order = (uint8_t)failure_order;
}

void rp_cas_done(uint32_t success) {
    struct op op = self->exchange;
    settle_exchange(success);
    told((int)success);
    if (!success) {
        op.writes = 0;
        op.order = self->failure_order;
    }
    atomic_acquire(&op);
    look(&op);
    if (success) atomic_release(&op, true);
}

void rp_fence(uint32_t order) {
    struct op op = {.kind = OP_FENCE, .order = (uint8_t)order, .id = RP_NO_ACCESS, .site = rp_site};
    point(&op, false, "fence");
    weaker_fence(self, (uint8_t)order);
    fence_synchronise((uint8_t)order);
}

/* ---- call stack, loops, thread-local variables */

void rp_enter(uint32_t site) {
    uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
    struct thread *t = self;
    /* A longjmp leaves frames behind: what is not above this one on the stack is gone. */
    while (t->depth > 0 && t->depth <= MAX_FRAMES && t->frames[t->depth - 1].sp <= sp) t->depth--;
    if (t->depth < MAX_FRAMES) t->frames[t->depth] = (struct frame){site, sp};
    t->depth++;
}

void rp_leave(void) {
    if (self->depth > 0) self->depth--;
}

void rp_loop(uint32_t loop) {
    (void)loop;
    self->carried = 0;
    self->carries_same = self->returning;
}

void rp_carry(uint64_t value) {
    if (self->carried == MAX_CARRIED) {
        self->carries_same = 0;
        return;
    }
    uint64_t *kept = &self->carries[self->carried++];
    if (*kept != value) self->carries_same = 0;
    *kept = value;
}

void rp_round(void) {
    bool waits = self->returning && self->carries_same && !self->waited; /* else it goes back to its condition */
    self->returning = 0;
    if (waits) { /* not if something has changed already: by others, or by an exchange of our own */
        struct op op = {.kind = OP_SPIN, .id = RP_NO_ACCESS, .site = rp_site};
        self->polling = 0;
        weaker_wait(self);
        block(&op);
    }
    self->polling = 1;
    self->waited = 0;
    self->poll_overflow = 0;
    self->poll_count = 0;
}

void rp_poll(const void *address, uint32_t size) {
    struct op op = {.kind = OP_MEMORY, .size = size, .object = (uintptr_t)address};
    if (self->polling) keep_poll(&op);
}

void rp_spin(uint32_t loop) {
    (void)loop;
    self->returning = 1;
}

/* A loop that only waits is left: what comes is no round of it. */
void rp_leave_loop(void) {
    self->polling = self->returning = self->waited = 0;
    self->poll_count = self->carried = 0;
    self->poll_overflow = 1;
}

void rp_unseen(void) { self->result_unseen = 1; }

void *rp_tls(void *image) { return tls_address(self, image); }
