// A loop that waits takes a rwlock in each round: who has it already is refused, and knows by it that he went round.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int flag;
static int x;

static void *waiter(void *arg) {
    while (!atomic_load(&flag))
        pthread_rwlock_wrlock(&l);
    int refused = pthread_rwlock_wrlock(&l);
    pthread_rwlock_unlock(&l);
    if (refused)
        x = 1;                                  // race missed(explore): follows no loop for ever
    return arg;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, waiter, NULL);
    atomic_store(&flag, 1);
    x = 2;                                      // race missed(explore): follows no loop for ever
    pthread_join(a, NULL);
    return 0;
}
