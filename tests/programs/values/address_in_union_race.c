// A pointer that a thread has written is read as a number: how it is divided depends on where objects lie.
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char data[64];
static union {
    char *pointer;
    uintptr_t number;
} slot;
static int x;

static void *giver(void *arg) {
    pthread_mutex_lock(&m);
    slot.pointer = data + 1;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    uintptr_t number = slot.number;
    pthread_mutex_unlock(&m);
    if (number / 16 % 4096 != 0)
        x++;                                    // race
    return arg;
}

int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, giver, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    pthread_create(&t[2], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
