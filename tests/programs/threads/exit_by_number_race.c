// A thread ends itself by a system call before it has joined the one that it has created.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static int x;

static void *child(void *arg) {
    x = 1;                                      // race
    return arg;
}

static void *creator(void *arg) {
    pthread_t t;
    pthread_create(&t, NULL, child, NULL);
    syscall(SYS_exit, 0);
    pthread_join(t, NULL);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, creator, NULL);
    pthread_join(t, NULL);
    x = 2;                                      // race
    return 0;
}
