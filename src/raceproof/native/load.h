/* load.h: how the program under test comes into this process. Two files do it: load_shared.c by the system's loader,
 * load_own.c by itself, for 32-bit programs and on targets (RP_STATIC), whose C library is part of the host. */
#ifndef LOAD_H
#define LOAD_H

#include <stdbool.h>
#include <stdint.h>

_Noreturn void refuse_program(const char *why);
void image_load(const char *path);
void *image_symbol(const char *name);
uintptr_t image_base(void); /* load_shared.c only: what the loader has added to its addresses */
void image_writable(void (*take)(uintptr_t begin, uintptr_t end)); /* each segment that may be written */
bool image_has(const void *p); /* load_own.c only: part of the program or the host, not of a heap or stack */

#endif
