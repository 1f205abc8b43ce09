/* A spin lock that gives up after three rounds. */
#include <pthread.h>
#include <stdlib.h>
#include <stdatomic.h>

static atomic_int lock;
static int shared;

static void *first(void *unused) {
    (void)unused;
    for (int i = 0; i < 3; i++) {
        int rounds = 0;
        while (atomic_exchange(&lock, 1) != 0 && rounds < 3) rounds++;
        shared++; // race
        if (rounds < 3) atomic_store(&lock, 0);
    }
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    for (int i = 0; i < 3; i++) {
        while (atomic_exchange(&lock, 1) != 0) {
        }
        shared++; // race
        atomic_store(&lock, 0);
    }
    return NULL;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
