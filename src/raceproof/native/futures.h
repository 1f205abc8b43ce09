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

/* What may come behind state k (the one that first_race_free has found) and depends on events before it, seen or not.
 * `found` is told each such event e, or the beginning of its atomic section, and a thread that must make a step there
 * before the operation can come; NO_THREAD: it is not known which. False as soon as `found` says so.
 *
 * [PDP, Fig. 7] does without: it takes what the execution shows behind k for all that can come there. But a branch
 * that was not taken there may hold an operation whose order with an event before k decides about a race. */
bool future_conflicts(uint32_t k, bool (*found)(uint32_t e, uint8_t leader));

/* Did the thread of event d, and thread `tid` in state `at`, hold a lock that only one of them can have? */
bool futures_excluded(uint32_t d, uint32_t at, uint8_t tid);

/* Two accesses conflict in an execution: a data conflict of [DHTC, Table 3] for a search that does not prune. For one that
 * does, pairs that the check of a state has not excluded are. */
void futures_met(uint32_t a, uint32_t b);

/* Note every pair that some state of the execution holds for possible: the checks end with the first one of a state. */
void futures_note_conflicts(void);

/* Of these threads, those that may still come to one of the two accesses from where they stand, or create one that may. */
tset futures_may_come(tset tids, uint32_t a, uint32_t b);

/* A pair that need not be looked for any more. */
void futures_leave_out(uint32_t a, uint32_t b);

#endif
