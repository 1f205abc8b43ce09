// Double-checked locking with a plain pointer.
#include <pthread.h>
#include <stdlib.h>

struct config {
    int limit;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct config *instance;

static struct config *get(void) {
    if (instance == NULL) {                     // race
        pthread_mutex_lock(&m);
        if (instance == NULL) {                 // no-race
            struct config *c = malloc(sizeof *c);
            c->limit = 10;                      // race
            instance = c;                       // race
        }
        pthread_mutex_unlock(&m);
    }
    return instance;                            // race
}

static void *worker(void *arg) {
    return get()->limit == 10 ? arg : NULL;     // race
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return get()->limit == 10 ? 0 : 1;          // no-race
}
