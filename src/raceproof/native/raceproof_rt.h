/* raceproof_rt.h: the contract between the instrumented program, the runtime and `raceproof.explore`.
 *
 * The program is a shared object made of its own LLVM IR with calls of the hooks below added
 * (frontend/instrument.py). The runtime is one executable, `rp_host`, that loads it and runs it under many
 * schedules (explore/build.py compiles both, explore/protocol.py mirrors the constants of this file). For 32-bit
 * programs and for targets that is another executable of the same sources, RP_STATIC (load_own.c).
 *
 * Threads of the program are fibers: exactly one runs at any time, and control passes to another one only inside
 * a hook or a replaced library function. So hooks need no atomics, and nothing changes between a hook and the
 * instruction behind it.
 */
#ifndef RACEPROOF_RT_H
#define RACEPROOF_RT_H

#include <stddef.h>
#include <stdint.h>

#define RP_HOOK __attribute__((visibility("default")))

/* A replaced library function: `rp_lib_NAME` stands for NAME in the instrumented program, with the same type.
 * The instrumenter finds the names by this macro, at the start of a line. */
#define RP_LIB __attribute__((visibility("default")))

/* ---- numbers that both sides know (mirrored in explore/protocol.py) */

enum rp_kind { RP_READ = 0, RP_WRITE = 1, RP_UPDATE = 2, RP_FREE = 3 };
enum rp_order { RP_PLAIN = 0, RP_RELAXED = 1, RP_ACQUIRE = 2, RP_RELEASE = 3, RP_ACQ_REL = 4, RP_SEQ_CST = 5 };

/* ---- limits: past one of them the result is bounded, with its text as the reason. The sizes are in rt.h and libc.h. */

#define RP_LIMITS(X)                                                                    \
    X(STEPS, "an execution was cut at the limit of steps")                              \
    X(THREADS, "a program made more threads than the explorer can follow")              \
    X(EVENTS, "an execution had more events than the explorer can follow")              \
    X(OBJECTS, "an execution had more locks, conditions and semaphores than the explorer can follow") \
    X(LOCATIONS, "an execution used more memory locations than the explorer can follow") \
    X(INPUTS, "not all values of the inputs were tried")                                \
    X(UNTRIED, "the explorer's memory for what is still to be tried was full")          \
    X(SWITCHES, "an execution had more context switches than the explorer can repeat")  \
    X(OLD_ACCESSES, "an execution used more memory than is remembered: what was touched longest ago was forgotten") \
    X(OLD_THREADS, "more threads were alive at once than are told apart") \
    X(STREAMS, "a program locked more streams than the explorer can follow")            \
    X(NAMED_SEMAPHORES, "a program opened more named semaphores than the explorer can follow") \
    X(EXIT_HANDLERS, "a program registered more exit handlers than the explorer can follow") \
    X(PROCESSES, "a process that the program made has threads, of which one order was tried") \
    X(NAMESPACES, "the system gives the program no namespace for objects that processes share by name") \
    X(OTHERS, "what comes from clients and other processes comes in one order of many")

#define RP_LIMIT_NAME(name, text) RP_LIMIT_##name,
enum rp_limit { RP_LIMITS(RP_LIMIT_NAME) RP_LIMIT_COUNT };

/* ---- hooks: called by the instrumented program. `access` is the AccessId of the static facts. */

/* Before a plain load or store. */
RP_HOOK void rp_read(const void *address, uint32_t access, uint32_t size);
RP_HOOK void rp_write(void *address, uint32_t access, uint32_t size);

/* The same in a program that tells of every access (control: samples). */
RP_HOOK void rp_run_read(const void *address, uint32_t access, uint32_t size);
RP_HOOK void rp_run_write(void *address, uint32_t access, uint32_t size);

/* Ranges, before or behind a library call that touches them; a null address or length 0 is nothing. */
RP_HOOK void rp_read_range(const void *address, uint32_t access, uint64_t length);
RP_HOOK void rp_write_range(void *address, uint32_t access, uint64_t length);
RP_HOOK void rp_read_string(const char *string, uint32_t access);   /* up to and with the NUL */
RP_HOOK void rp_write_string(const char *string, uint32_t access);  /* behind a call that wrote it */
/* Before a library call that reads a string, or memory, only up to where it knows enough. What is behind that it may
 * read, but need not. `other` and `number` are arguments of the call that say where that is: enum rp_stop. */
RP_HOOK void rp_read_stopped(const char *address, uint32_t access, uint32_t stop, const char *other, uint64_t number,
                             uint32_t site);
enum rp_stop {
    RP_STOP_INTEGER,    /* behind a number; `number`: its base */
    RP_STOP_FLOAT,      /* behind a number */
    RP_STOP_TOKEN,      /* behind a token; `other`: the delimiters */
    RP_STOP_CHARACTER,  /* at a character, which is `number` */
    RP_STOP_SPAN,       /* at a character that is not in `other` */
    RP_STOP_COSPAN,     /* at one that is in `other` */
    RP_STOP_SUBSTRING,  /* behind `other` */
    RP_STOP_DIFFERENCE, /* where it differs from the string `other`; both have at most `number` bytes */
    RP_STOP_MEMORY      /* where it differs from the `number` bytes at `other` */
};
RP_HOOK uint64_t rp_block_size(const void *block);                  /* 0 if there is none */
RP_HOOK void rp_free_access(void *block, uint32_t access);          /* before free and realloc: the whole block */

/* Before an atomic instruction; a compare-exchange also tells afterwards whether it succeeded. `access` is
 * RP_NO_ACCESS where the instruction is in no open pair: it is still a synchronisation. */
#define RP_NO_ACCESS 0xffffffffu
RP_HOOK void rp_atomic_load(const void *address, uint32_t access, uint32_t size, uint32_t order);
RP_HOOK void rp_atomic_store(void *address, uint32_t access, uint32_t size, uint32_t order);
RP_HOOK void rp_atomic_rmw(void *address, uint32_t access, uint32_t size, uint32_t order);
RP_HOOK void rp_cas(void *address, uint32_t access, uint32_t size, uint32_t order, uint32_t failure_order);
RP_HOOK void rp_cas_done(uint32_t success);
RP_HOOK void rp_fence(uint32_t order);

/* The site of the call or atomic instruction that comes next, stored (not called) before each call of a replaced
 * function and before each atomic hook and fence. */
extern RP_HOOK uint32_t rp_site;

/* Around each call, of a function of the program or through a pointer, that may reach a hook: the call stack. */
RP_HOOK void rp_enter(uint32_t site);
RP_HOOK void rp_leave(void);

/* Loops that only re-read (frontend/spin_loops.py finds them). At the start of the header: rp_loop, rp_carry for each
 * register that may have another value in each round, rp_round; on each way back to it, rp_spin. In such a loop
 * every load that has no other hook has rp_poll in front of it. If a round begins as the one before did, rp_round
 * waits until one of the values read in that one has changed. In such a loop a wait at a condition is tested again. */
RP_HOOK void rp_loop(uint32_t loop);
RP_HOOK void rp_carry(uint64_t value);
RP_HOOK void rp_round(void);
RP_HOOK void rp_poll(const void *address, uint32_t size);
RP_HOOK void rp_spin(uint32_t loop);
/* At the start of a block to which such a loop may be left: what comes then is no round of it. */
RP_HOOK void rp_leave_loop(void);

/* Around a call by which a thread may tell others something outside of the program's memory (RP_GIVES, before it), or
 * learn of it (RP_TAKES, behind it). */
enum rp_outside { RP_GIVES = 1, RP_TAKES = 2 };
RP_HOOK void rp_outside(uint32_t how);

/* The result of the barrier's wait that comes next is not looked at: nobody can tell in which order threads came. */
RP_HOOK void rp_unseen(void);

/* The current thread's copy of a thread-local variable. `image` is the variable in section `rptls`, which holds the
 * initial values of all of them. */
RP_HOOK void *rp_tls(void *image);

/* Memory of the program that was never written, and values made of nothing (validity.c). A local variable comes to be;
 * memory is written, by a range, a string, some bits, or one cannot say how far; copied as it is; read. `site` is where.
 * `kept` and `used` are bits of a value of up to eight bytes, the lowest one first. rp_undefined: a register is used,
 * which on this way has no value. */
RP_HOOK void rp_fresh(const void *begin, uint64_t size);
RP_HOOK void rp_set_range(const void *begin, uint32_t site, uint64_t size);
RP_HOOK void rp_set_string(const char *string, uint32_t site);
RP_HOOK void rp_set_bits(const void *begin, uint64_t kept, uint32_t size);
RP_HOOK void rp_set_rest(const void *begin, uint64_t most);
RP_HOOK void rp_copied(const void *to, const void *from, uint64_t size);
RP_HOOK void rp_check_range(const void *begin, uint32_t site, uint64_t size);
RP_HOOK void rp_check_string(const char *string, uint32_t site);
RP_HOOK void rp_check_bits(const void *begin, uint64_t used, uint32_t size, uint32_t site);
RP_HOOK void rp_undefined(uint32_t is_undefined, uint32_t site);

/* ---- what the shared object exports

   int rp_program_main(int argc, char **argv, char **envp)   calls the entry function with what it takes
   void *const rp_tokens[]    addresses of the locks, then of the variables, that the tables of futures name (null ends it)
   void (*const rp_destructors[])(void)                      in the order of running; null ends it
   char rp_tls_begin[], rp_tls_end[]                         the section of thread-local images (may be equal)
   const struct rp_global rp_globals[]                       every global variable by name; a null name ends it
*/
#define RP_REFUSED 3

struct rp_global {
    void *address;
    const char *name;
    uint64_t size;
};

/* ---- the control file, which the host sends when a session begins (session.h); one directive a line, words separated
   by blanks, strings percent-encoded. Access ids and sites in decimal.

   algorithm dfs|dpor|pdp|dhtc|optimal|race|states
   algorithm sample        no search: executions by schedules that are drawn
   samples N               the program tells of every access, with ids below N
   sampling mixed|walk|stay|pct|pos   of algorithm sample: how schedules are drawn (search_sample.c)
   seed N                  of its first execution; the next one has the next number
   last N                  replay: tell the last N steps only
   all 0|1                 go on after the first race
   max_executions N        0: no limit
   time_limit SECONDS      0: none
   max_states N            of algorithm states: how many it remembers. 0: as many as there is memory for
   exact_states 0|1        it keeps them whole, and compares them
   monitors 0|1            operations under a lock that all who use their object hold are no scheduling points
   symmetry 0|1            it takes threads that nobody can tell apart for one another
   max_steps N             hooks in one execution before it is cut (the result is then bounded)
   isolation memory|fork
   spurious 0|1            condition variables may wake up without a signal
   pruning repaired|printed|none   of subspaces without races, in the searches that do so
   deadlocks 0|1|2         not searched for | end with the first one | find all: then no wait ends without a signal, since
                           a thread that only that could wake is blocked
   arg STRING              once for each argument, argv[0] first
   env NAME=VALUE          a variable of the program's environment, in place of the one that it would inherit
   server STRING           a command for sh that is started before the program, in its network, and ended behind it
   client STRING           likewise, but when the program listens, or all its threads wait; when all clients have ended
                           and the program waits for more, it is ended as its user would
   directory PATH          where the program runs: what an execution changes there the next one does not see
   library PATH            a shared object without sources that the program is linked with, in this order
   pair A B                access ids: a pair that is still open; any number of lines
   candidate BITS VALUE    a value to try for inputs (__VERIFIER_nondet_*) of at least that many bits
   input VALUE             replay: the inputs, in the order in which they were taken
   schedule TID:STEPS ...  replay: each thread in turn runs until it has done so many steps in all
   thread TID PARENT [N]   a thread and who creates it (-1: nobody), as the how-many-th, from 0 (else: as they come), in
                           the order of their ids; for a replay those of the schedule, for an item all that are known
   drive TID:STEPS TID:STEPS   replay: report the race between these two threads' next accesses after the schedule
   future ...              tables for property-driven pruning, see explore/futures.py

   Several processes may search together (explore/parallel.py); masks are sets of thread ids, in hexadecimal:

   shares 1                FRAME_ASK asks for a part of what is left to do, from the first record on (watchdog.c hears it)
   item TID:MASK ...       search only what follows this prefix: at each node the thread that is chosen, and those that
                           others try there: asleep, or done
   item_executions N       after so many, give away all that is left, and end
   item_ends 1             FRAME_ASK asks for all that is left, and the end
   known NAME              try, cancel, barrier: the program has such things, which decides what is a scheduling point;
                           weaker: so are atomics that are not sequentially consistent (weaker.c);
                           validity: the program says what it writes, and asks before it reads (validity.c);
                           fp_unseen: no thread can tell whether others share its floating-point environment;
                           files: it may change files, so that each execution gets some of its own;
                           begun: what precedes the search proper is done
   visible ACCESS          this access is a scheduling point
   found A B               a pair of which a race is known

   What it answers (the program's own output is captured), one record a line, fields separated by tabs, strings
   percent-encoded:

   progress EXECUTIONS BLOCKED TRANSITIONS DEPTH OPEN_PAIRS      about twice a second. Of algorithm states, BLOCKED is the
        number of states, DEPTH that of states on the way in which something is left to try
   race A TID_A B TID_B ADDRESS TOGETHER SCHEDULE INPUTS THREADS
        the two accesses by id in the order of the run; TOGETHER 1: the schedule ends with both threads standing
        before them. SCHEDULE as above, INPUTS as VALUE@SITE, THREADS as TID:PARENT:CREATED_AT_SITE, separated by blanks
   possible A TID_A B TID_B ADDRESS   another order of an execution would show this race, but executing it did not
   other KIND MESSAGE TID SITE SCHEDULE INPUTS THREADS           deadlock, assertion, abort, crash, ...; SITE is
        the access of a `use after free`
   step TID STEPS WHAT ID ADDRESS VALUE HELD STACK SIZE ORDER RESULT OBJECT KIND ACCESS
        replay only: WHAT is read, write, update, free (ID an access) or the name of the library function or atomic
        operation (ID a site); ADDRESS by name (`counter+4`, `heap 1.3+8`); HELD the locks the thread holds, STACK the
        call sites, separated by blanks; SIZE and ORDER of an access; RESULT of an operation (of a creation, the
        thread), if it is known; OBJECT the number of a lock or the like, -1 for none, KIND of a mutex (enum
        mutex_kind, + 4 if it is robust); ACCESS by id, -1 for none
   next ...                the same: an access before which a thread stands when a race was driven; or the operation
                           in which it waits when the run ends in a deadlock (RESULT of a join: the thread)
   block OWNER.NUMBER SITE SIZE CALLS   replay only: where a block of the heap was allocated that other records name, and the
                           calls through which that place was reached, innermost last
   event TID STEPS WHAT ADDRESS OBJECT VALUE   replay only: what is no step (join, sem_init, barrier_init, once done)
   bounded REASON [SITE]   something was cut, or not tried (because of SITE): no proof for this input
   stat NAME VALUE
   output TEXT             what the program wrote in the first execution
   end REASON              complete | race | time | executions | interrupted | replayed | items | restart | inputs | pairs | deadlock | failure
                           (pairs: so many races that there is no room for more; failure: every execution ends with the
                           same failure)

   A program that cannot be loaded: the reason on standard error, and status RP_REFUSED.

   Of a search that is shared; nodes are those of the current execution, by number:

   thread TID PARENT N     a thread that no `thread` directive named, before its id occurs in the records below
   path TID:MASK ...       as in an item: where the search is; from now on it stays behind that
   node INDEX TAKEN LEFT   of a node on that path: threads that are taken care of there, and threads that are to be
                           tried there by somebody else
   request INDEX TIDS WANTED   at a node of the item, or of the last path, one of TIDS is to be tried by somebody else:
                           WANTED, unless one of them is taken care of
   undivided REASON        an answer to FRAME_ASK: nothing to give now. inputs: never
   known NAME, visible ACCESS  as above: before the first `path`, and before `end restart`
   `end items` ends an item of which `node` records told the rest. `end restart`: the set of scheduling points has
   grown, so that all parts of the search are void; `end inputs`: so they are, because the program has inputs, whose
   values are tried one after the other by a search that is not shared.
*/

#endif
