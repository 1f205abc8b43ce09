/* states.h: what a state of the program is, for the search that goes back to states (search_states.c).
 *
 * Everything that an execution changes is in one of two lists, which each file of the runtime writes for what it keeps:
 *
 *   kept       memory that is put back byte by byte when the search returns to a state: `FILE_keep`
 *   identity   what tells one state from another, as bytes: `FILE_tell`. Less than what is kept: counts of steps, clocks
 *              of happens-before, what lies on a stack that nobody uses any more, freed memory, do not tell.
 *
 * tests/unit/explore/test_states_native.py holds the list of all variables of the runtime against the sources: one that is
 * in neither list has a reason there.
 *
 * The program tells its own part of a stack (frontend/live_frames.py): before each call that may let others go, a function
 * stores which call it is and the values that are used behind it. So neither the layout of machine frames nor what is
 * left over in them is part of a state.
 */
#ifndef STATES_H
#define STATES_H

#include "rt.h"

/* What one call of a function of the program has told last; on the program's stack. */
struct rp_frame {
    struct rp_frame *below;
    uint32_t site;        /* the call in which it stands, by number; 0: none yet */
    uint32_t size;        /* of the values */
    uint32_t local_count; /* variables in memory, `locals` */
    uint32_t value_at;    /* offset of the values from here */
    struct { char *address; uint64_t size; } locals[];
};

extern RP_HOOK struct rp_frame *rp_frame_top; /* of the thread that runs */
extern bool follows_states; /* the search is the one that goes back to states */

/* ---- writing the lists */

__attribute__((weak)) void state_keep(void *memory, size_t size); /* weak: heap.c and libc_*.c are tested without them */
__attribute__((weak)) void state_tell(const void *memory, size_t size);
static inline void state_tell_number(uint64_t number) { state_tell(&number, sizeof number); }

void program_keep(void);
void program_tell(void);
void heap_keep(void);
void heap_tell(void);
void heap_settle(void); /* before memory is put back */
void objects_keep(void);
void objects_uncover(void); /* while states are told: the program's memory as it would be without cookies */
void objects_cover(void);
void objects_tell(void);
void threads_keep(void);
void threads_tell(void);
void threads_settle(uint32_t kept); /* threads from this id on did not exist */
void validity_keep(void);
void validity_tell(void);
void validity_settle(void);
void libc_keep(void);
void libc_tell(void);
void sched_keep(void);
void sched_tell(void);

/* ---- stepping: the search's side of the scheduler (sched.c) */

enum arrival { ARRIVED_STATE, ARRIVED_CHOICE, ARRIVED_END };

enum arrival states_begin(void);            /* an execution, up to its first state */
enum arrival states_step(uint8_t tid);      /* this thread's operation, up to the next state */
enum arrival states_answer(uint32_t index); /* a choice of the thread that asks */
tset states_enabled(void);
enum cut states_stuck(void); /* nobody can run: how it has ended. A deadlock is reported. */
uint32_t states_choose(uint32_t count); /* on the program's side: which of so many values */
extern uint32_t states_choices;             /* of ARRIVED_CHOICE: how many there are */

#endif
