/* weaker.h: do atomics of weaker memory orders allow executions that the search does not make. */
#ifndef WEAKER_H
#define WEAKER_H

#include "rt.h"

void weaker_reset(void);
void weaker_access(const struct thread *t, const struct op *op, uint32_t number); /* before its clocks change */
void weaker_wait(const struct thread *t);
void weaker_fence(const struct thread *t, uint8_t order);
void weaker_forget(const void *base, size_t size);

#endif
