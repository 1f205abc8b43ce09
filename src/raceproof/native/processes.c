/* processes.c: processes that the program makes itself, and what processes share by name; for raceproof.explore.
 *
 * A child of the program has one thread, and memory of its own: nothing that it does races with its parent. So it takes no
 * part in the search. It leaves the memory that the search shares with its executions, and goes on as an ordinary process,
 * under the scheduler because its locks are ours. If it creates threads of its own, these run in some order, no other one
 * is tried, and the result is bounded.
 *
 * System V objects, message queues and shared memory outlive processes. An execution that uses them gets a namespace of
 * its own, with nothing in it; the system forgets it with the last process of the execution. Where the system does not let
 * an ordinary user do that, the execution ends there: nothing is left behind, and no execution sees what another one did.
 */

#define _GNU_SOURCE
#include "processes.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libc.h"
#include "report.h"
#include "resources.h"
#include "sched.h"

bool is_child_process;

/* ---- memory that the search shares with its executions */

#define MAX_REGIONS 64

static struct { char *at; size_t size; } regions[MAX_REGIONS];
static uint32_t region_count;
static volatile uint8_t *unfollowed; /* by all processes of the program: one has done what the search should have tried */

void note_shared(void *memory, size_t size) {
    if (region_count == MAX_REGIONS) abort(); /* of the runtime's own making: a new one needs room */
    regions[region_count].at = memory;
    regions[region_count++].size = size;
}

void processes_init(void) {
    void *page = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) exit(4);
    unfollowed = page;
}

bool processes_take_unfollowed(void) {
    bool any = *unfollowed;
    *unfollowed = 0;
    return any;
}

static void leave_unfollowed(void) { *unfollowed = 1; }

static bool make_private(char *at, size_t size) {
    return mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == at;
}

/* The same content at the same addresses; only pages that exist are copied. */
static bool unshare_region(char *at, size_t size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (size + page - 1) / page, kept = 0;
    unsigned char *exists = malloc(pages);
    if (exists == NULL || mincore(at, size, exists) != 0) return false;
    for (size_t i = 0; i < pages; i++) kept += exists[i] & 1;
    char *copy = malloc(kept * page + 1);
    if (copy == NULL) return false;
    size_t used = 0;
    for (size_t i = 0; i < pages; i++)
        if (exists[i] & 1) memcpy(copy + page * used++, at + i * page, page);
    if (!make_private(at, pages * page)) return false;
    used = 0;
    for (size_t i = 0; i < pages; i++)
        if (exists[i] & 1) memcpy(at + i * page, copy + page * used++, page);
    free(copy);
    free(exists);
    return true;
}

static bool unshare_all(void) {
    for (uint32_t i = 0; i < region_count; i++)
        if (!unshare_region(regions[i].at, regions[i].size)) return false;
    return unshare_region((char *)&pulse, sizeof pulse);
}

/* ---- a child of the program */

static int choose_any(struct node *node, uint32_t depth) {
    (void)depth;
    return default_choice(node->enabled);
}

static const struct algorithm algorithm_child = {.name = "child", .hb = true, .choose = choose_any};

static void become_child(void) {
    is_child_process = true;
    libc_capture = 0;
    report_to(-1);
    driving = false;
    options.mode = MODE_SEARCH;
    options.algorithm = &algorithm_child;
    options.deadlocks = DEADLOCKS_NOT;
    G->prefix = 0;
    G->event_limit = MAX_EVENTS;
    stay_alone();
}

static void die_of(int number) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    signal(number, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    raise(number);
}

_Noreturn void child_dies(int number) {
    die_of(number);
    _exit(128 + number);
}

_Noreturn void child_exits(int status) {
    if (libc.exit_kind == EXIT_NORMAL) fflush(NULL);
    _exit(status);
}

_Noreturn void child_ends(enum cut cut) {
    if (cut == CUT_NOT) _exit(0); /* its last thread has ended */
    while (cut == CUT_DEADLOCK) pause();
    leave_unfollowed();
    child_dies(SIGKILL);
}

void child_creates_thread(void) { leave_unfollowed(); }

/* The parent waits until the child has left its memory. */
static pid_t fork_process(void) {
    int ready[2];
    if (pipe2(ready, O_CLOEXEC) != 0) return -1;
    pid_t child = fork();
    if (child == 0) {
        bool is_free = options.fork ? unshare_all() : true;
        close(ready[0]);
        if (!is_free) {
            leave_unfollowed();
            raise(SIGKILL);
        }
        become_child();
        close(ready[1]);
        return 0;
    }
    int error = errno;
    close(ready[1]);
    char nothing;
    while (child > 0 && read(ready[0], &nothing, 1) < 0 && errno == EINTR) {
    }
    close(ready[0]);
    errno = error;
    return child;
}

RP_LIB pid_t rp_lib_fork(void) { return fork_process(); }
RP_LIB pid_t rp_lib__Fork(void) { return fork_process(); }
RP_LIB pid_t rp_lib_vfork(void) { return fork_process(); } /* its child may only call exec or _exit: no difference */

/* The program goes on in another process and its own one ends: nothing but the number tells. */
RP_LIB int rp_lib_daemon(int stays, int keeps_streams) {
    (void)keeps_streams; /* nothing reaches the real ones */
    return stays ? 0 : chdir("/");
}

/* ---- what processes share by name */

static void need_own_names(void) {
    static pid_t has_own;
    if (has_own == getpid() || is_child_process) return; /* a child of the program has those of its parent */
    if (!own_names()) libc_past_limit(RP_LIMIT_NAMESPACES);
    has_own = getpid();
}

RP_LIB int rp_lib_semget(key_t key, int count, int flags) {
    need_own_names();
    return semget(key, count, flags);
}

RP_LIB int rp_lib_msgget(key_t key, int flags) {
    need_own_names();
    return msgget(key, flags);
}

RP_LIB int rp_lib_shmget(key_t key, size_t size, int flags) {
    need_own_names();
    return shmget(key, size, flags);
}

RP_LIB int rp_lib_shm_open(const char *name, int flags, mode_t mode) {
    need_own_names();
    return shm_open(name, flags, mode);
}

RP_LIB int rp_lib_shm_unlink(const char *name) {
    need_own_names();
    return shm_unlink(name);
}

RP_LIB mqd_t rp_lib_mq_open(const char *name, int flags, ...) {
    need_own_names();
    if (!(flags & O_CREAT)) return mq_open(name, flags);
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = (mode_t)va_arg(arguments, unsigned);
    struct mq_attr *attributes = va_arg(arguments, struct mq_attr *);
    va_end(arguments);
    return mq_open(name, flags, mode, attributes);
}

RP_LIB int rp_lib_mq_unlink(const char *name) {
    need_own_names();
    return mq_unlink(name);
}
