// The writer of the home-made lock looks at the count, but writes after giving the mutex back.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
static int readers, data;

static void *reader(void *arg) {
    pthread_mutex_lock(&m);
    readers++;                                  // no-race
    pthread_mutex_unlock(&m);
    int seen = data;                            // race
    pthread_mutex_lock(&m);
    if (--readers == 0)                         // no-race
        pthread_cond_signal(&idle);
    pthread_mutex_unlock(&m);
    return seen ? arg : NULL;
}

static void *writer(void *arg) {
    pthread_mutex_lock(&m);
    while (readers > 0)                         // no-race
        pthread_cond_wait(&idle, &m);
    pthread_mutex_unlock(&m);
    data++;                                     // race
    return arg;
}

int main(void) {
    pthread_t r1, r2, w;
    pthread_create(&r1, NULL, reader, NULL);
    pthread_create(&r2, NULL, reader, NULL);
    pthread_create(&w, NULL, writer, NULL);
    pthread_join(r1, NULL);
    pthread_join(r2, NULL);
    pthread_join(w, NULL);
    return data == 1 ? 0 : 1;                   // no-race
}
