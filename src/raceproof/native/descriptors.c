/* descriptors.c: calls by which threads wait for descriptors, for raceproof.explore (outside.h). Fork mode only. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/epoll.h>
#endif

#include "libc.h"
#include "outside.h"
#include "peers.h"
#include "program_types.h"

#define SECOND UINT64_C(1000000000)
#define MILLISECOND UINT64_C(1000000)

/* ---- one descriptor */

static bool is_blocking(int fd) {
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && !(flags & O_NONBLOCK);
}

/* What SO_RCVTIMEO or SO_SNDTIMEO says; FOREVER for what is no socket. */
static uint64_t limit_of(int fd, int option) {
    struct timeval limit = {0, 0};
    socklen_t size = sizeof limit;
    if (getsockopt(fd, SOL_SOCKET, option, &limit, &size) != 0 || (limit.tv_sec == 0 && limit.tv_usec == 0)) return FOREVER;
    return (uint64_t)limit.tv_sec * SECOND + (uint64_t)limit.tv_usec * 1000;
}

/* Returns when the call would not wait; false: it ends here, errno says why. */
static bool until_ready(int fd, short events) {
    struct pollfd waiter = {.fd = fd, .events = events};
    peers_settle();
    if (!is_blocking(fd)) {
        outside_begin();
        return true;
    }
    int ready = outside_ready(&waiter, 1, limit_of(fd, events == POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO));
    if (ready == 0) errno = EAGAIN;
    return ready > 0;
}

void outside_until_readable(int fd) { (void)until_ready(fd, POLLIN); }

ssize_t outside_read(int fd, void *data, size_t length) {
    if (!until_ready(fd, POLLIN)) return -1;
    ssize_t done = read(fd, data, length);
    outside_takes();
    return done;
}

/* A descriptor that is ready takes at least PIPE_BUF bytes at once. */
ssize_t outside_write(int fd, const void *data, size_t length) {
    const char *at = data;
    size_t left = length;
    outside_gives();
    while (left > PIPE_BUF && is_blocking(fd)) {
        ssize_t done = until_ready(fd, POLLOUT) ? write(fd, at, PIPE_BUF) : -1;
        if (done <= 0) return left < length ? (ssize_t)(length - left) : done;
        at += done;
        left -= (size_t)done;
    }
    if (!until_ready(fd, POLLOUT)) return left < length ? (ssize_t)(length - left) : -1;
    ssize_t done = write(fd, at, left);
    return done < 0 && left < length ? (ssize_t)(length - left) : done < 0 ? done : (ssize_t)(length - left) + done;
}

RP_LIB ssize_t rp_lib_readv(int fd, const struct iovec *parts, int count) {
    return until_ready(fd, POLLIN) ? readv(fd, parts, count) : -1;
}
RP_LIB ssize_t rp_lib_recv(int fd, void *data, size_t length, int flags) {
    if (!(flags & MSG_DONTWAIT) && !until_ready(fd, POLLIN)) return -1;
    return recv(fd, data, length, flags);
}
RP_LIB ssize_t rp_lib_recvfrom(int fd, void *data, size_t length, int flags, struct sockaddr *from, socklen_t *size) {
    if (!(flags & MSG_DONTWAIT) && !until_ready(fd, POLLIN)) return -1;
    return recvfrom(fd, data, length, flags, from, size);
}
RP_LIB ssize_t rp_lib_recvmsg(int fd, struct msghdr *message, int flags) {
    if (!(flags & MSG_DONTWAIT) && !until_ready(fd, POLLIN)) return -1;
    return recvmsg(fd, message, flags);
}

/* All of it, as a blocking call does, unless the other side is gone or a handler has run. */
static ssize_t send_all(int fd, const char *data, size_t length, int flags, const struct sockaddr *to, socklen_t size) {
    size_t sent = 0;
    do {
        if (!until_ready(fd, POLLOUT)) break;
        ssize_t done = sendto(fd, data + sent, length - sent, flags | MSG_DONTWAIT, to, size);
        if (done < 0 && errno != EAGAIN) return sent > 0 ? (ssize_t)sent : done;
        if (done >= 0) sent += (size_t)done;
        if (done == 0) break;
    } while (sent < length);
    return sent > 0 || length == 0 ? (ssize_t)sent : -1;
}

RP_LIB ssize_t rp_lib_sendto(int fd, const void *data, size_t length, int flags, const struct sockaddr *to,
                             socklen_t size) {
    if ((flags & MSG_DONTWAIT) || !is_blocking(fd)) return sendto(fd, data, length, flags, to, size);
    return send_all(fd, data, length, flags, to, size);
}
RP_LIB ssize_t rp_lib_send(int fd, const void *data, size_t length, int flags) {
    return rp_lib_sendto(fd, data, length, flags, NULL, 0);
}

RP_LIB int rp_lib_accept(int fd, struct sockaddr *from, socklen_t *size) {
    return until_ready(fd, POLLIN) ? accept(fd, from, size) : -1;
}
RP_LIB int rp_lib_accept4(int fd, struct sockaddr *from, socklen_t *size, int flags) {
    return until_ready(fd, POLLIN) ? accept4(fd, from, size, flags) : -1;
}

RP_LIB int rp_lib_listen(int fd, int backlog) {
    int done = listen(fd, backlog);
    if (done == 0) peers_start();
    return done;
}

RP_LIB int rp_lib_connect(int fd, const struct sockaddr *to, socklen_t size) {
    int flags = fcntl(fd, F_GETFL), error = 0;
    socklen_t error_size = sizeof error;
    if (flags < 0 || (flags & O_NONBLOCK)) return connect(fd, to, size);
    fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    int done = connect(fd, to, size), why = errno;
    fcntl(fd, F_SETFL, flags);
    errno = why;
    if (done == 0 || errno != EINPROGRESS) return done;
    if (!until_ready(fd, POLLOUT)) return -1;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &error_size) != 0) return -1;
    return error == 0 ? 0 : (errno = error, -1);
}

RP_LIB int rp_lib_flock(int fd, int operation) {
    struct outside_wait wait = {.until = FOREVER, .looks_again = true};
    outside_begin();
    int done = flock(fd, operation | LOCK_NB);
    while (done != 0 && errno == EWOULDBLOCK && !(operation & LOCK_NB)) {
        if (!outside_wait(&wait)) return -1;
        done = flock(fd, operation | LOCK_NB);
    }
    return done;
}

/* ---- many descriptors */

int outside_poll(struct pollfd *waiters, unsigned long count, int milliseconds) {
    int ready = outside_ready(waiters, (nfds_t)count, milliseconds < 0 ? FOREVER : (uint64_t)milliseconds * MILLISECOND);
    outside_takes();
    return ready;
}

static uint64_t nanoseconds_of(const struct program_timespec *limit) {
    return limit == NULL ? FOREVER : (uint64_t)limit->tv_sec * SECOND + (uint64_t)limit->tv_nsec;
}

RP_LIB int rp_lib_ppoll(struct pollfd *waiters, nfds_t count, const struct program_timespec *limit, const sigset_t *mask) {
    if (!is_time(limit)) return errno = EINVAL, -1;
    thread_mask_begin(mask);
    int ready = outside_ready(waiters, count, nanoseconds_of(limit));
    outside_takes();
    thread_mask_end(mask);
    return ready;
}

static short events_of(int fd, const fd_set *reads, const fd_set *writes, const fd_set *errors) {
    short events = 0;
    if (reads != NULL && FD_ISSET(fd, reads)) events |= POLLIN | POLLHUP;
    if (writes != NULL && FD_ISSET(fd, writes)) events |= POLLOUT;
    if (errors != NULL && FD_ISSET(fd, errors)) events |= POLLPRI;
    return events;
}

static int keep_bit(fd_set *set, int fd, bool stays) {
    if (set == NULL || !FD_ISSET(fd, set)) return 0;
    if (!stays) FD_CLR(fd, set);
    return stays;
}

int outside_select(int count, fd_set *reads, fd_set *writes, fd_set *errors, uint64_t ns) {
    struct pollfd waiters[FD_SETSIZE];
    nfds_t used = 0;
    int found = 0;
    if (count < 0 || count > FD_SETSIZE) return errno = EINVAL, -1;
    for (int fd = 0; fd < count; fd++) {
        short events = events_of(fd, reads, writes, errors);
        if (events == 0) continue;
        if (fcntl(fd, F_GETFD) < 0) return errno = EBADF, -1;
        waiters[used++] = (struct pollfd){.fd = fd, .events = events};
    }
    int ready = outside_ready(waiters, used, ns);
    outside_takes();
    if (ready < 0) return -1;
    for (nfds_t i = 0; i < used; i++) {
        short events = waiters[i].revents;
        found += keep_bit(reads, waiters[i].fd, events & (POLLIN | POLLHUP | POLLERR));
        found += keep_bit(writes, waiters[i].fd, events & (POLLOUT | POLLERR));
        found += keep_bit(errors, waiters[i].fd, events & POLLPRI);
    }
    return found;
}

#ifdef __linux__
/* The set is a descriptor itself, which is ready when one of its members is. */
static int wait_for_set(int set, struct epoll_event *found, int room, uint64_t ns) {
    struct pollfd waiter = {.fd = set, .events = POLLIN};
    int ready = outside_ready(&waiter, 1, ns);
    outside_takes();
    return ready < 0 ? -1 : epoll_wait(set, found, room, 0);
}

RP_LIB int rp_lib_epoll_wait(int set, struct epoll_event *found, int room, int milliseconds) {
    return wait_for_set(set, found, room, milliseconds < 0 ? FOREVER : (uint64_t)milliseconds * MILLISECOND);
}

RP_LIB int rp_lib_epoll_pwait(int set, struct epoll_event *found, int room, int milliseconds, const sigset_t *mask) {
    thread_mask_begin(mask);
    int ready = rp_lib_epoll_wait(set, found, room, milliseconds);
    thread_mask_end(mask);
    return ready;
}
#endif
