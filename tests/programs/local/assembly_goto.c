// Assembly that jumps: either label is reached with the lock held.
#include <pthread.h>

static int low, high;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void count(int number) {
    pthread_mutex_lock(&lock);
    __asm__ goto("testl %0, %0; jz %l1" : : "r"(number) : "cc" : zero);
    high++;                                     // no-race alarm(explore): it does not run assembly
    pthread_mutex_unlock(&lock);
    return;
zero:
    low++;                                      // no-race
    pthread_mutex_unlock(&lock);
}

static void *worker(void *arg) {
    count(arg != NULL);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, &low);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return low + high;                          // no-race
}
