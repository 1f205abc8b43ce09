// A ring of two slots for one producer and one consumer: positions under the lock, slots outside of it.
#include <pthread.h>

#define SIZE 2u
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static unsigned head, tail;
static int slot[SIZE];

static unsigned used(void) {
    pthread_mutex_lock(&m);
    unsigned n = head - tail;
    pthread_mutex_unlock(&m);
    return n;
}

static void *producer(void *arg) {
    for (unsigned h = 0; h < 3; h++) {
        if (used() == SIZE)
            break;
        slot[h % SIZE] = 1;                     // no-race alarm(lockset): head is less than one round ahead of tail
        pthread_mutex_lock(&m);
        head = h + 1;
        pthread_mutex_unlock(&m);
    }
    return arg;
}

static void *consumer(void *arg) {
    int sum = 0;
    for (unsigned t = 0; t < 3; t++) {
        if (used() == 0)
            break;
        sum += slot[t % SIZE];                  // no-race alarm(lockset): head is less than one round ahead of tail
        pthread_mutex_lock(&m);
        tail = t + 1;
        pthread_mutex_unlock(&m);
    }
    return sum <= 3 ? arg : NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, producer, NULL);
    pthread_create(&b, NULL, consumer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
