// Producer and consumer with a bounded buffer, all of it under one mutex.
#include <pthread.h>

#define SIZE 4
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static int buffer[SIZE], in, out, used;

static void put(int item) {
    pthread_mutex_lock(&m);
    while (used == SIZE)                        // no-race
        pthread_cond_wait(&not_full, &m);
    buffer[in] = item;                          // no-race
    in = (in + 1) % SIZE;                       // no-race
    used++;                                     // no-race
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&m);
}

static int get(void) {
    pthread_mutex_lock(&m);
    while (used == 0)                           // no-race
        pthread_cond_wait(&not_empty, &m);
    int item = buffer[out];                     // no-race
    out = (out + 1) % SIZE;                     // no-race
    used--;                                     // no-race
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&m);
    return item;
}

static void *producer(void *arg) {
    for (int i = 1; i <= 10; i++)
        put(i);
    return arg;
}

int main(void) {
    pthread_t t;
    int sum = 0;
    pthread_create(&t, NULL, producer, NULL);
    for (int i = 0; i < 10; i++)
        sum += get();
    pthread_join(t, NULL);
    return sum == 55 ? 0 : 1;
}
