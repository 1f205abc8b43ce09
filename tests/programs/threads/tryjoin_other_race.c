// The id is that of one of several threads; that it has ended says nothing of the one that counts.
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

extern _Bool __VERIFIER_nondet_bool(void);

static pthread_t ids[3];
static int x;

static void *idle(void *arg) {
    return arg;
}

static void *count(void *arg) {
    x++;                                        // race
    return arg;
}

static void create(int i) {
    pthread_create(&ids[i], NULL, idle, NULL);
}

static void make(int i) {
    create(i);
}

static void start(int i) {
    make(i);
}

int main(void) {
    start(0);
    start(1);
    pthread_create(&ids[2], NULL, count, NULL);
    int which = __VERIFIER_nondet_bool() ? 2 : 0;
    if (pthread_tryjoin_np(ids[which], NULL) == 0)
        x++;                                    // race
    return 0;
}
