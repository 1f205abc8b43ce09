/* validity.h: which bytes of the program's memory were never written. */
#ifndef VALIDITY_H
#define VALIDITY_H

#include <stdbool.h>
#include <stddef.h>

extern bool follows_validity; /* the program has hooks that ask: otherwise nothing of this does anything */

void validity_reset(void); /* before each execution: everything counts as written */
void validity_fresh(const void *begin, size_t size);
void validity_written(const void *begin, size_t size);
void validity_copied(const void *to, const void *from, size_t size);

#endif
