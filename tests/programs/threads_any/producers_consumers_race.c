// Producers and consumers, any number of each; the buffer is read too late [PN, Fig. 2].
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t empty = PTHREAD_COND_INITIALIZER, full = PTHREAD_COND_INITIALIZER;
static int buffer, items;

static void *producer(void *arg) {
    pthread_mutex_lock(&m);
    while (items > 0)                           // no-race
        pthread_cond_wait(&empty, &m);
    buffer = 1;                                 // race
    items++;                                    // no-race
    pthread_cond_signal(&full);
    pthread_mutex_unlock(&m);
    return arg;
}

static void *consumer(void *arg) {
    pthread_mutex_lock(&m);
    while (items == 0)                          // no-race
        pthread_cond_wait(&full, &m);
    items--;                                    // no-race
    pthread_cond_signal(&empty);
    pthread_mutex_unlock(&m);
    int taken = buffer;                         // race
    (void)taken;
    return arg;
}

int main(int argc, char **argv) {
    pthread_t t;
    for (int i = 0; i <= argc; i++) {
        pthread_create(&t, NULL, producer, argv);
        pthread_create(&t, NULL, consumer, argv);
    }
    return 0;
}
