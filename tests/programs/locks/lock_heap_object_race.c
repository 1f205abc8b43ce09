// The global pointer to the object is replaced while threads use it: its lock is not always the same.
#include <pthread.h>
#include <stdlib.h>

struct shared {
    pthread_mutex_t lock;
    int data;
};

static struct shared *gp;

static struct shared *make(void) {
    struct shared *s = malloc(sizeof *s);
    pthread_mutex_init(&s->lock, NULL);         // race
    s->data = 0;                                // race missed(explore): behind a lock that is used while it is initialised
    return s;
}

static void *worker(void *arg) {
    struct shared *s = gp;                      // race
    pthread_mutex_lock(&s->lock);               // race
    s->data++;                                  // race missed(explore): see above
    pthread_mutex_unlock(&s->lock);
    return arg;
}

int main(void) {
    pthread_t a, b;
    gp = make();                                // no-race
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    gp = make();                                // race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
