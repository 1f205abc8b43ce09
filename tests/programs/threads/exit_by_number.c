// A thread ends itself by a system call after it has joined the one that it has created.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static int x;

static void *child(void *arg) {
    x = 1;                                      // no-race alarm(lockset): no table says what a number asks of the system
    return arg;
}

static void *creator(void *arg) {
    pthread_t t;
    pthread_create(&t, NULL, child, NULL);
    pthread_join(t, NULL);
    syscall(SYS_exit, 0);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, creator, NULL);
    pthread_join(t, NULL);
    x = 2;                                      // no-race alarm(lockset): the same
    return 0;
}
