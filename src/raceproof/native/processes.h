/* processes.h: processes that the program makes itself, and what processes share by name. */
#ifndef PROCESSES_H
#define PROCESSES_H

#include "rt.h"

extern bool is_child_process; /* of the program: it takes no part in the search */

void processes_init(void);
void note_shared(void *memory, size_t size); /* with the executions: not with the program's children */
bool processes_take_unfollowed(void);        /* did a process of the program do what no search has tried? */

_Noreturn void child_exits(int status);
_Noreturn void child_dies(int signal);
_Noreturn void child_ends(enum cut cut); /* as end_execution */
void child_creates_thread(void);

#endif
