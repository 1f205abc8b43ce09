// The global pointer is read again after the lock was taken, and may point elsewhere by then.
#include <pthread.h>
#include <stdatomic.h>

struct shared {
    pthread_mutex_t lock;
    int data;
};

static struct shared x = {PTHREAD_MUTEX_INITIALIZER, 0};
static struct shared y = {PTHREAD_MUTEX_INITIALIZER, 0};
static struct shared *_Atomic gp = &x;

static void *worker(void *arg) {
    for (int i = 0; i < 50; i++) {
        struct shared *s = gp;                  // no-race
        pthread_mutex_lock(&s->lock);
        gp->data++;                             // race
        pthread_mutex_unlock(&s->lock);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    for (int i = 0; i < 50; i++)
        gp = i % 2 ? &x : &y;                   // no-race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return x.data + y.data <= 100 ? 0 : 1;      // no-race
}
