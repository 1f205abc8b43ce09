/* outside.c: threads that wait for, or tell, one another through the system; for raceproof.explore.
 *
 * All threads of the program are one thread to the system: a call that waits would stop all of them. So each is tried
 * without waiting first, and while it would wait the other threads run.
 */

#define _GNU_SOURCE
#include "outside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "libc.h"
#include "sched.h"
#include "sync.h"

static uint64_t changes; /* so many times something was done outside */

void outside_reset(void) { changes = 0; }

void outside_gives(void) {
    struct object *o = object_at(NULL, O_OUTSIDE);
    clock_join(o->hb, self->hb, G->paths);
    self->hb[self->tid]++;
    changes++;
}

void outside_takes(void) { clock_join(self->hb, object_at(NULL, O_OUTSIDE)->hb, G->paths); }

RP_HOOK void rp_outside(uint32_t how) {
    if (how & RP_GIVES) outside_gives();
    if (how & RP_TAKES) outside_takes();
}

bool outside_has_changed(const struct thread *t) { return t->wait_ticket != changes || t->waits_alone; }

bool outside_wait(void) {
    struct op op = {.kind = OP_OUTSIDE, .id = RP_NO_ACCESS, .site = rp_site};
    cancellation_point();
    self->waits_alone = 0;
    self->wait_ticket = changes;
    block(&op);
    if (is_cancelled(self)) cancellation_point();
    bool alone = self->waits_alone;
    self->waits_alone = 0;
    return !alone;
}

struct thread *outside_waiter(void) {
    for (tset rest = rp_fork_mode ? live : 0; rest != 0; rest &= rest - 1) {
        struct thread *t = &threads[__builtin_ctzll(rest)];
        if (t->pending.kind != OP_OUTSIDE) continue;
        t->waits_alone = 1;
        return t;
    }
    return NULL;
}

/* ---- descriptors */

static bool is_blocking(int fd) {
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && !(flags & O_NONBLOCK);
}

/* Returns when a call would not wait, or when it has to. */
static void until_ready(int fd, short events) {
    struct pollfd waiter = {.fd = fd, .events = events};
    if (!is_blocking(fd)) return;
    while (poll(&waiter, 1, 0) == 0 && outside_wait()) {
    }
}

ssize_t outside_read(int fd, void *data, size_t length) {
    until_ready(fd, POLLIN);
    ssize_t done = read(fd, data, length);
    outside_takes();
    return done;
}

ssize_t outside_write(int fd, const void *data, size_t length) {
    outside_gives();
    if (length <= PIPE_BUF) until_ready(fd, POLLOUT);
    return write(fd, data, length);
}

RP_LIB ssize_t rp_lib_readv(int fd, const struct iovec *parts, int count) {
    until_ready(fd, POLLIN);
    return readv(fd, parts, count);
}
RP_LIB ssize_t rp_lib_recv(int fd, void *data, size_t length, int flags) {
    if (!(flags & MSG_DONTWAIT)) until_ready(fd, POLLIN);
    return recv(fd, data, length, flags);
}
RP_LIB ssize_t rp_lib_recvfrom(int fd, void *data, size_t length, int flags, struct sockaddr *from, socklen_t *size) {
    if (!(flags & MSG_DONTWAIT)) until_ready(fd, POLLIN);
    return recvfrom(fd, data, length, flags, from, size);
}
RP_LIB ssize_t rp_lib_recvmsg(int fd, struct msghdr *message, int flags) {
    if (!(flags & MSG_DONTWAIT)) until_ready(fd, POLLIN);
    return recvmsg(fd, message, flags);
}
RP_LIB int rp_lib_accept(int fd, struct sockaddr *from, socklen_t *size) {
    until_ready(fd, POLLIN);
    return accept(fd, from, size);
}
RP_LIB int rp_lib_accept4(int fd, struct sockaddr *from, socklen_t *size, int flags) {
    until_ready(fd, POLLIN);
    return accept4(fd, from, size, flags);
}

/* Whoever waits for some time lets the others go first, once: the time may be over then. */
int outside_poll(struct pollfd *waiters, unsigned long count, int milliseconds) {
    int ready = poll(waiters, (nfds_t)count, 0);
    if (ready == 0 && milliseconds > 0) {
        rp_sleep_for((uint64_t)milliseconds * 1000000);
        ready = poll(waiters, (nfds_t)count, 0);
    }
    while (ready == 0 && milliseconds < 0)
        ready = poll(waiters, (nfds_t)count, outside_wait() ? 0 : -1);
    outside_takes();
    return ready;
}

RP_LIB int rp_lib_flock(int fd, int operation) {
    int done = flock(fd, operation | LOCK_NB);
    while (done != 0 && errno == EWOULDBLOCK && !(operation & LOCK_NB))
        done = flock(fd, outside_wait() ? operation | LOCK_NB : operation);
    return done;
}

/* ---- System V */

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
    if (!is_patient(operations, count)) return semop(id, operations, count);
    int done = try_semop(id, operations, count);
    while (done != 0 && errno == EAGAIN)
        done = outside_wait() ? try_semop(id, operations, count) : semop(id, operations, count);
    return done;
}

RP_LIB int rp_lib_msgsnd(int id, const void *message, size_t size, int flags) {
    int done = msgsnd(id, message, size, flags | IPC_NOWAIT);
    while (done != 0 && errno == EAGAIN && !(flags & IPC_NOWAIT))
        done = msgsnd(id, message, size, outside_wait() ? flags | IPC_NOWAIT : flags);
    return done;
}

RP_LIB ssize_t rp_lib_msgrcv(int id, void *message, size_t size, long type, int flags) {
    ssize_t done = msgrcv(id, message, size, type, flags | IPC_NOWAIT);
    while (done < 0 && errno == ENOMSG && !(flags & IPC_NOWAIT))
        done = msgrcv(id, message, size, type, outside_wait() ? flags | IPC_NOWAIT : flags);
    return done;
}
