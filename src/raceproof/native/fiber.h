/* fiber.h: stacks and the switch between them. */
#ifndef FIBER_H
#define FIBER_H

#include "rt.h"

#define STACK_SIZE (8u << 20) /* address space; pages come when they are touched */
#define GUARD_SIZE (64u << 10)

void fiber_stack(struct fiber *fiber); /* give it a stack, once */
/* It begins with the floating-point environment of whoever runs now, the first one with that of a new process. */
void fiber_make(struct fiber *fiber, void (*entry)(void), bool is_first);
bool fiber_in_guard(const struct fiber *fiber, uintptr_t address);

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#endif

#if (defined(__x86_64__) || defined(__i386__)) && !defined(RP_PORTABLE_FIBERS)
#define FIBERS_OF_X86 1

void rp_switch(void **from, void **to);

/* Each thread has its own floating-point environment. Reading it takes a few cycles, and most threads have the same one;
 * only where they differ is it set, of which the x87's exception flags are slow. Each part is compared by itself: a load
 * of all of them at once would wait until the stores are in the cache. */
#define X87_EXCEPTIONS 0x3fu

static inline void fp_read(struct fp_environment *fp) {
    uint16_t status;
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1\n\tfnstsw %2" : "=m"(fp->mxcsr), "=m"(fp->x87_control), "=a"(status));
    fp->x87_status = status & X87_EXCEPTIONS;
}

static inline bool fp_is_same(const struct fp_environment *a, const struct fp_environment *b) {
    return a->mxcsr == b->mxcsr && a->x87_control == b->x87_control && a->x87_status == b->x87_status;
}

__attribute__((cold)) void fp_set(const struct fp_environment *now, const struct fp_environment *fp);

static inline void fp_swap(struct fp_environment *from, const struct fp_environment *to) {
    fp_read(from);
    if (!fp_is_same(from, to)) fp_set(from, to);
}

static inline void fiber_swap(struct fiber *from, struct fiber *to) {
    if (!options.fp_unseen) fp_swap(&from->fp, &to->fp);
    rp_switch(&from->sp, &to->sp);
}
#elif (defined(__aarch64__) || defined(__arm__) || (defined(__riscv) && __riscv_xlen == 64)) && \
    !defined(RP_PORTABLE_FIBERS)
#define FIBERS_OF_OTHERS 1

void rp_switch(void **from, void **to); /* takes the floating-point environment with it */

static inline void fiber_swap(struct fiber *from, struct fiber *to) { rp_switch(&from->sp, &to->sp); }
#else
void fiber_swap(struct fiber *from, struct fiber *to);
#endif

#ifdef WITH_ASAN
void fiber_switch(struct fiber *from, struct fiber *to);
#else
static inline void fiber_switch(struct fiber *from, struct fiber *to) { fiber_swap(from, to); }
#endif

#endif
