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
    uint32_t site;        /* the call in which it stands, twice its number; one more if a return may follow; 0: none yet */
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
void heap_settle(void); /* before memory is put back */
void objects_keep(void);
void objects_uncover(void); /* while states are told: the program's memory as it would be without cookies */
void objects_cover(void);
void objects_tell(void);
void threads_keep(void);
char *threads_tell(void);
void threads_tell_memory(void);
void threads_settle(uint32_t kept); /* threads from this id on did not exist */
void validity_keep(void);
void validity_tell(void);
void validity_settle(void);
void libc_keep(void);
void libc_tell(void);
void sched_keep(void);
void sched_tell(void);

/* ---- symmetry.c: threads that nobody can tell apart */

extern bool symmetry_is_on;
void symmetry_begin(void); /* a search */
void symmetry_break(void); /* threads can be told apart: `restart` */
uint64_t symmetry_count(void);
void symmetry_created(struct thread *t);
bool symmetry_may_join(const struct thread *target);
uint8_t symmetry_last_of(uint8_t tid); /* of its gang, one that has not ended */
void symmetry_joins(const struct thread *target, bool waits);
void symmetry_looks_at_result(const struct thread *target);
struct thread *symmetry_joiner(uint32_t from, uint32_t *count);
void symmetry_record(uint8_t tid, const char *from, const char *to); /* where a thread was told */
void symmetry_order(char *from, char *first, char *last, char *to);
uint8_t symmetry_name(uint8_t tid); /* behind that: its name in the state that is told */
tset symmetry_names(tset set);

/* ---- persistent.c: which threads must be tried */

void persistent_begin(void); /* a search */
void persistent_begin_anew(void);
void persistent_stop(void); /* what it rests on does not hold: `restart`, if it was used */
bool persistent_is_on(void);
bool persistent_must_begin_anew(uint64_t states, bool is_over);
void persistent_step(uint8_t tid); /* this thread goes on */
void persistent_resumes(uint8_t tid); /* so does this one, in the same step */
void persistent_passes(const struct op *op);
void persistent_created(struct thread *t);
void persistent_settle(void);
tset persistent_set(tset enabled);
uint64_t persistent_count(void);
tset persistent_apart(void);

/* ---- monitors.c: operations under a lock that all who use their object hold */

void monitors_begin(void); /* a search */
void monitors_step(void);
bool monitor_holds(uintptr_t object);
uint64_t monitors_count(void);

char *state_told(void); /* the end of what was told */
uint64_t objects_uses(uint8_t tid);
tset objects_lie_in(tset among, tset (*owners)(uintptr_t at, tset among));
void program_tell_local(const struct thread *t);
bool program_is_local(const struct thread *t, uintptr_t at);
void program_locals_of(const struct thread *t, uintptr_t part[2]);
void heap_tell_of(int tid);
bool heap_is_of(int tid, const void *p);
void heap_part_of(int tid, uintptr_t part[2]);

/* ---- stepping: the search's side of the scheduler (sched.c) */

enum arrival { ARRIVED_STATE, ARRIVED_CHOICE, ARRIVED_END, ARRIVED_JOIN };

enum arrival states_begin(void);            /* an execution, up to its first state */
enum arrival states_step(uint8_t tid);      /* this thread's operation, up to the next state */
enum arrival states_answer(uint32_t index); /* a choice of the thread that asks */
/* Let the thread go on as if so many of those that it joins had ended: false if it does anything but to join others of
 * them. What it does has to be put back. */
bool states_peek(struct thread *t, uint32_t joins);
extern bool states_peeks;
void states_peek_fails(void);   /* it does something else: does not come back */
void states_peek_join(struct thread *target);
tset states_enabled(void);
enum cut states_stuck(void); /* nobody can run: how it has ended. A deadlock is reported. */
uint32_t states_choose(uint32_t count); /* on the program's side: which of so many values */
extern uint32_t states_choices;             /* of ARRIVED_CHOICE: how many there are */

#endif
