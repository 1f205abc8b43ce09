/* ownership.h: thread states of [DHTC]: which bytes a thread may touch by an access to come, and which locks it has then.
 *
 * Follows [DHTC, Table 1 and Fig. 2] over the tables of raceproof.explore.future_places (there: what differs).
 */
#ifndef OWNERSHIP_H
#define OWNERSHIP_H

#include "rt.h"

/* What is known of a thread: its class, and where it finds what it touches. Equal for threads that are alike. */
typedef uint16_t ground_id;
#define GROUND_UNKNOWN 0
#define MAX_GROUNDS 1024

bool ownership_directive(const char *word, char *rest, bool *is_mine); /* false if it cannot be read */
void ownership_ready(uint32_t locks); /* how many of the program's tokens are locks: the bases stand behind them */

ground_id ground_of_thread(const struct thread *t); /* one that has just been created */
ground_id ground_of_function(uint32_t function);    /* threads that will run it, and are not created yet */

/* May access `a` of a thread and access `b` of another one touch the same bytes? Then their object is in race state, if one
 * of them writes; else it is owned. */
bool is_race_state(ground_id first, uint32_t a, ground_id second, uint32_t b);

/* The locks that a thread of this ground certainly holds at an access to come, as far as their addresses are known. */
#define MAX_HELD 8
struct ground_lock { uintptr_t object; bool shared; };
uint32_t ground_locks(ground_id ground, uint32_t access, struct ground_lock locks[MAX_HELD]); /* how many */

/* May access `a` of the thread touch one of these bytes, in which an access was executed? */
bool may_touch_bytes(ground_id ground, uint32_t a, uintptr_t begin, uint32_t size);

#endif
