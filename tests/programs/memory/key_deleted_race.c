// Whether a destructor is still called depends on whether its thread ends before the key is deleted.
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_key_t key;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t ready;
static int ended;

static void count(void *value) {
    (void)value;
    ended++;                                     // race missed(explore): the end of a thread is no event of its search
}

static void *worker(void *arg) {
    pthread_setspecific(key, &key);
    sem_post(&ready);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&ready, 0, 0);
    pthread_key_create(&key, count);
    pthread_mutex_lock(&m);
    pthread_create(&t, NULL, worker, NULL);
    sem_wait(&ready);
    pthread_mutex_unlock(&m);
    pthread_key_delete(key);
    ended = 0;                                   // race missed(explore): the same
    pthread_join(t, NULL);
    return 0;
}
