/* libraries.h: shared objects without sources that the program is linked with. */
#ifndef LIBRARIES_H
#define LIBRARIES_H

#include "rt.h"

void libraries_load(void); /* before the program: it finds their symbols */
void libraries_use(void);  /* behind the program: from now on they call the runtime's functions, not the C library's */

/* Their thread-local variables, of which the system keeps one copy. */
void libraries_start(struct thread *t);
void libraries_switch(struct thread *from, struct thread *to);

#endif
