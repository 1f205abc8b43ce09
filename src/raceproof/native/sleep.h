/* sleep.h: sleep sets, for the searches that have them. A thread asleep at a node need not be tried there: what would
 * follow is equivalent to what was explored already. */
#ifndef SLEEP_H
#define SLEEP_H

#include "rt.h"

static inline void sleep_none(struct node *node) { node->asleep = 0; }

static inline void sleep_add(uint32_t depth, uint8_t tid, const struct op *op) {
    nodes[depth].asleep |= BIT(tid);
    SLEEPERS(depth)[tid] = (struct sleeper){.op = *op, .tid = tid};
}

/* [DHTC, Fig. 6] l.13: who sleeps on behind `op`. */
static inline void sleep_pass(uint32_t depth, const struct op *op) {
    struct node *node = &nodes[depth], *next = node + 1;
    next->asleep = 0;
    for (tset rest = node->asleep; rest != 0; rest &= rest - 1) {
        uint8_t tid = (uint8_t)__builtin_ctzll(rest);
        if (!op_dependent(&SLEEPERS(depth)[tid].op, op)) sleep_add(depth + 1, tid, &SLEEPERS(depth)[tid].op);
    }
}

#endif
