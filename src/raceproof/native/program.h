/* program.h: what the shared object under test exports. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "rt.h"

struct program {
    int (*main)(int, char **, char **);
    void (*const *destructors)(void);
    void *const *tokens;
    const struct rp_global *globals;
    char *tls_begin, *tls_end;
    char **argv;
};
extern struct program program;
void run_all(void (*const *functions)(void)); /* null ends them */
void semaphores_reset(void);
bool program_is_small(void);

#endif
