// Which lock it is stands beside the data and was chosen once, by the input; main works on the data like the others.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static struct {
    pthread_mutex_t *lock;
    int data;
} box;

static void *worker(void *arg) {
    pthread_mutex_t *lock = box.lock;           // no-race
    pthread_mutex_lock(lock);
    box.data++;                                 // no-race alarm(explore): not all inputs are tried
    pthread_mutex_unlock(lock);
    return arg;
}

int main(void) {
    pthread_t t;
    if (__VERIFIER_nondet_int())
        box.lock = &first;                      // no-race
    else
        box.lock = &second;                     // no-race
    pthread_create(&t, NULL, worker, NULL);
    worker(NULL);
    pthread_join(t, NULL);
    return box.data == 2 ? 0 : 1;               // no-race
}
