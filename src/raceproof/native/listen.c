/* listen.c: hosts that come over a network, for raceproof.explore: each is served by a process of its own, whose session
 * is authenticated (session.c). */

#define _GNU_SOURCE
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session.h"

#define MOST_SESSIONS 64

static _Noreturn void give_up(const char *what) {
    fprintf(stderr, "raceproof: %s: %s\n", what, strerror(errno));
    exit(2);
}

/* Of ADDRESS:PORT the last colon counts: [::1]:4711. */
static int bound(const char *address) {
    char host[256];
    const char *colon = strrchr(address, ':');
    size_t length = colon != NULL ? (size_t)(colon - address) : sizeof host;
    if (length >= sizeof host) {
        fprintf(stderr, "raceproof: not an address: %s (ADDRESS:PORT)\n", address);
        exit(2);
    }
    bool is_bracketed = length > 1 && address[0] == '[' && address[length - 1] == ']';
    snprintf(host, sizeof host, "%.*s", (int)(length - (is_bracketed ? 2 : 0)), address + is_bracketed);
    struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found = NULL;
    int error = getaddrinfo(host, colon + 1, &wanted, &found);
    if (error != 0) {
        fprintf(stderr, "raceproof: %s: %s\n", address, gai_strerror(error));
        exit(2);
    }
    int listening = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    if (listening < 0) give_up(address);
    setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listening, found->ai_addr, found->ai_addrlen) != 0 || listen(listening, MOST_SESSIONS) != 0)
        give_up(address);
    freeaddrinfo(found);
    return listening;
}

static void say_port(int listening) {
    struct sockaddr_storage own;
    socklen_t size = sizeof own;
    char port[16];
    if (getsockname(listening, (struct sockaddr *)&own, &size) != 0) give_up("the port");
    if (getnameinfo((struct sockaddr *)&own, size, NULL, 0, port, sizeof port, NI_NUMERICSERV) != 0) give_up("the port");
    printf("listening on port %s\n", port);
    fflush(stdout);
}

struct request session_serve(const char *address, const void *secret, size_t secret_size) {
    int listening = bound(address), sessions = 0, yes = 1;
    say_port(listening);
    for (;;) {
        while (sessions > 0 && waitpid(-1, NULL, sessions >= MOST_SESSIONS ? 0 : WNOHANG) > 0) sessions--;
        int host = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
        if (host < 0) {
            if (errno == EINTR || errno == ECONNABORTED || errno == EMFILE) continue;
            give_up("waiting for hosts");
        }
        pid_t parent = getpid(), session = fork();
        if (session == 0) {
            prctl(PR_SET_PDEATHSIG, SIGHUP); /* whoever ends the agent ends what it has started */
            if (getppid() != parent) exit(4);
            close(listening);
            setsockopt(host, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
            setsockopt(host, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
            return session_begin(host, host, secret, secret_size);
        }
        sessions += session > 0;
        close(host);
    }
}
