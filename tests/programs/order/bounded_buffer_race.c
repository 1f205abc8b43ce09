// The consumer frees the slot under the mutex, but takes the item out of it only afterwards.
#include <pthread.h>

#define SIZE 2
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int buffer[SIZE], in, out, used;

static void put(int item) {
    pthread_mutex_lock(&m);
    while (used == SIZE)                        // no-race
        pthread_cond_wait(&changed, &m);
    buffer[in] = item;                          // race
    in = (in + 1) % SIZE;                       // no-race
    used++;                                     // no-race
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&m);
}

static int get(void) {
    pthread_mutex_lock(&m);
    while (used == 0)                           // no-race
        pthread_cond_wait(&changed, &m);
    int slot = out;                             // no-race
    out = (out + 1) % SIZE;                     // no-race
    used--;                                     // no-race
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&m);
    return buffer[slot];                        // race
}

static void *producer(void *arg) {
    for (int i = 1; i <= 50; i++)
        put(i);
    return arg;
}

int main(void) {
    pthread_t t;
    int sum = 0;
    pthread_create(&t, NULL, producer, NULL);
    for (int i = 0; i < 50; i++)
        sum += get();
    pthread_join(t, NULL);
    return sum > 0 ? 0 : 1;
}
