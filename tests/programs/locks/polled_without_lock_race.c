// Two threads poll under a mutex that they give back between two looks: each goes on after the other has answered.
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int request, reply, value;

static void *server(void *arg) {
    (void)arg;
    pthread_mutex_lock(&lock);
    while (!request) {                          // no-race
        pthread_mutex_unlock(&lock);
        sched_yield();
        pthread_mutex_lock(&lock);
    }
    reply = 1;                                  // no-race
    pthread_mutex_unlock(&lock);
    value = 2;                                  // race
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, server, NULL);
    pthread_mutex_lock(&lock);
    request = 1;                                // no-race
    while (!reply) {                            // no-race
        pthread_mutex_unlock(&lock);
        sched_yield();
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
    value = 1;                                  // race
    pthread_join(t, NULL);
    return 0;
}
