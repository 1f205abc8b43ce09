// lrand48 keeps its numbers where all threads find them, but each thread takes a lock before it draws.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static long drawn(void) {
    pthread_mutex_lock(&lock);
    long result = lrand48();                    // no-race alarm(explore): the library's own memory is not observed
    pthread_mutex_unlock(&lock);
    return result;
}

static void *draws(void *arg) {
    return drawn() > 0 ? arg : NULL;
}

int main(void) {
    pthread_t t;
    srand48(7);
    pthread_create(&t, NULL, draws, NULL);
    long mine = drawn();
    pthread_join(t, NULL);
    return mine < 0;
}
