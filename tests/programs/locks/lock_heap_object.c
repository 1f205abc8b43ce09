// A heap object with its lock inside, reached by all threads through a global pointer.
#include <pthread.h>
#include <stdlib.h>

struct shared {
    pthread_mutex_t lock;
    int data;
};

static struct shared *gp;

static void *worker(void *arg) {
    pthread_mutex_lock(&gp->lock);
    gp->data++;                                 // no-race
    pthread_mutex_unlock(&gp->lock);
    return arg;
}

int main(void) {
    pthread_t a, b;
    gp = malloc(sizeof *gp);
    pthread_mutex_init(&gp->lock, NULL);
    gp->data = 0;                               // no-race
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    int ok = gp->data == 2;                     // no-race
    free(gp);                                   // no-race
    return ok ? 0 : 1;
}
