// A structure with a mutex in it is made from a model before there are threads, and another one by each thread.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct job {
    pthread_mutex_t mutex;
    int count;
};

static struct job model = {PTHREAD_MUTEX_INITIALIZER, 0}, common;

static void *worker(void *arg) {
    struct job *own = malloc(sizeof *own);
    if (own == NULL)
        return arg;
    memset(own, 0, sizeof *own);
    pthread_mutex_lock(&own->mutex);
    own->count++;
    pthread_mutex_unlock(&own->mutex);
    free(own);
    pthread_mutex_lock(&common.mutex);
    common.count++;                             // no-race
    pthread_mutex_unlock(&common.mutex);
    return arg;
}

int main(void) {
    pthread_t t[2];
    common = model;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
