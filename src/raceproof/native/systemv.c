/* systemv.c: waiting for System V objects, and for child processes, for raceproof.explore (outside.h). Fork mode only. */

#define _GNU_SOURCE
#include <errno.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/wait.h>

#include "libc.h"
#include "outside.h"
#include "peers.h"
#include "program_types.h"

#define LOOKING {.until = FOREVER, .looks_again = true}

static bool is_patient(struct sembuf *operations, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (operations[i].sem_flg & IPC_NOWAIT) return false;
    return true;
}

static int try_semop(int id, struct sembuf *operations, size_t count) {
    for (size_t i = 0; i < count; i++) operations[i].sem_flg = (short)(operations[i].sem_flg | IPC_NOWAIT);
    int done = semop(id, operations, count);
    for (size_t i = 0; i < count; i++) operations[i].sem_flg = (short)(operations[i].sem_flg & ~IPC_NOWAIT);
    return done;
}

RP_LIB int rp_lib_semop(int id, struct sembuf *operations, size_t count) {
    struct outside_wait wait = LOOKING;
    if (!is_patient(operations, count)) return semop(id, operations, count);
    outside_begin();
    int done = try_semop(id, operations, count);
    while (done != 0 && errno == EAGAIN) {
        if (!outside_wait(&wait)) return -1;
        done = try_semop(id, operations, count);
    }
    return done;
}

RP_LIB int rp_lib_msgsnd(int id, const void *message, size_t size, int flags) {
    struct outside_wait wait = LOOKING;
    outside_begin();
    int done = msgsnd(id, message, size, flags | IPC_NOWAIT);
    while (done != 0 && errno == EAGAIN && !(flags & IPC_NOWAIT)) {
        if (!outside_wait(&wait)) return -1;
        done = msgsnd(id, message, size, flags | IPC_NOWAIT);
    }
    return done;
}

RP_LIB ssize_t rp_lib_msgrcv(int id, void *message, size_t size, long type, int flags) {
    struct outside_wait wait = LOOKING;
    outside_begin();
    ssize_t done = msgrcv(id, message, size, type, flags | IPC_NOWAIT);
    while (done < 0 && errno == ENOMSG && !(flags & IPC_NOWAIT)) {
        if (!outside_wait(&wait)) return -1;
        done = msgrcv(id, message, size, type, flags | IPC_NOWAIT);
    }
    return done;
}

/* ---- children of the program */

static pid_t wait_for_child(pid_t pid, int *status, int options, struct rusage *usage) {
    struct outside_wait wait = {.until = FOREVER, .for_children = true, .looks_again = true};
    outside_begin();
    for (;;) {
        pid_t ended = wait4(pid, status, options | WNOHANG, usage);
        if (peers_has(ended)) continue; /* in a replay it is a child of the same process */
        if (ended != 0 || (options & WNOHANG)) {
            outside_takes();
            return ended;
        }
        if (!outside_wait(&wait)) return -1;
    }
}

RP_LIB pid_t rp_lib_wait(int *status) { return wait_for_child(-1, status, 0, NULL); }
RP_LIB pid_t rp_lib_waitpid(pid_t pid, int *status, int options) { return wait_for_child(pid, status, options, NULL); }

static void tell_usage(struct program_rusage *usage, const struct rusage *found) {
    if (usage == NULL) return;
    memset(usage, 0, sizeof *usage);
    usage->ru_utime.tv_sec = (program_time)found->ru_utime.tv_sec;
    usage->ru_utime.tv_usec = found->ru_utime.tv_usec;
    usage->ru_stime.tv_sec = (program_time)found->ru_stime.tv_sec;
    usage->ru_stime.tv_usec = found->ru_stime.tv_usec;
}

RP_LIB pid_t rp_lib_wait4(pid_t pid, int *status, int options, struct program_rusage *usage) {
    struct rusage found;
    memset(&found, 0, sizeof found);
    pid_t ended = wait_for_child(pid, status, options, &found);
    tell_usage(usage, &found);
    return ended;
}

RP_LIB pid_t rp_lib_wait3(int *status, int options, struct program_rusage *usage) {
    return rp_lib_wait4(-1, status, options, usage);
}

RP_LIB int rp_lib_waitid(idtype_t type, id_t id, siginfo_t *info, int options) {
    struct outside_wait wait = {.until = FOREVER, .for_children = true, .looks_again = true};
    siginfo_t own;
    if (info == NULL) info = &own;
    outside_begin();
    for (;;) {
        info->si_pid = 0;
        int done = waitid(type, id, info, options | WNOHANG);
        if (done != 0 || info->si_pid != 0 || (options & WNOHANG)) return done;
        if (!outside_wait(&wait)) return -1;
    }
}
