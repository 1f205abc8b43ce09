/* fiber.h: stacks and the switch between them. */
#ifndef FIBER_H
#define FIBER_H

#include "rt.h"

#define STACK_SIZE (8u << 20) /* address space; pages come when they are touched */
#define GUARD_SIZE (64u << 10)

void fiber_stack(struct fiber *fiber); /* give it a stack, once */
/* It begins with the floating-point environment of whoever runs now, the first one with that of a new process. */
void fiber_make(struct fiber *fiber, void (*entry)(void), bool is_first);
void fiber_switch(struct fiber *from, struct fiber *to);
bool fiber_in_guard(const struct fiber *fiber, uintptr_t address);

#endif
