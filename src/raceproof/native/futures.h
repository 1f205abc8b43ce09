/* futures.h: what threads may still do, and whether two of them may still race: property-driven pruning.
 *
 * Follows [PDP, Fig. 4 and 5] over the tables of raceproof.explore.futures (there: what differs from the paper).
 */
#ifndef FUTURES_H
#define FUTURES_H

#include "rt.h"

bool future_directive(char *rest); /* a line of the control file; false if it cannot be read */
void futures_ready(void);          /* when all lines are read and the program is loaded */

extern bool futures_usable;

/* A thread has come to stand somewhere (before its pending operation), or has ended. */
void futures_stand(struct thread *t);
/* A thread has made an access that is no event. Where accesses are events, the search itself sees to their order with
 * what comes later; where they are not, one that was made may still race with one to come. */
void futures_past(struct thread *t, uint32_t access);
void futures_reset(void); /* before an execution */

/* The first state of the execution, at or behind `from`, from which on no race is possible; the number of events + 1
 * if there is none. SubspaceRaceFree of [PDP, Fig. 4]. */
uint32_t first_race_free(uint32_t from);

/* What may come behind state k (the one that first_race_free has found) and depends on events before it. `found` is
 * told the latest such event for each operation, and its thread, NO_THREAD for one that may still be created; false
 * as soon as `found` says so. Without `with_seen`, operations that the execution had behind k are left out.
 *
 * [PDP, Fig. 7] does without: it takes what the execution shows behind k for all that can come there. But a branch
 * that was not taken there may hold an operation whose order with an event before k decides about a race. */
bool future_conflicts(uint32_t k, bool with_seen, bool (*found)(uint32_t e, uint8_t tid));

/* A pair that need not be looked for any more. */
void futures_leave_out(uint32_t a, uint32_t b);

#endif
