// Numbers in a packed structure need not be aligned: one that is written overlaps a part of the one that is read.
#include <pthread.h>
#include <stddef.h>

extern unsigned __VERIFIER_nondet_uint(void);

typedef int unaligned __attribute__((aligned(1)));

static struct __attribute__((packed)) {
    char tag;
    int v[3];
} s;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *writer(void *arg) {
    unsigned i = __VERIFIER_nondet_uint() % 9;
    pthread_mutex_lock(&m);
    *(unaligned *)((char *)s.v + i) = 0x01010101;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    int v = s.v[1];
    pthread_mutex_unlock(&m);
    if (v == 0x0101)
        x++;                                    // race
    return arg;
}

int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    pthread_create(&t[2], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
