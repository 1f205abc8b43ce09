// Assembly that jumps over the lock.
#include <pthread.h>

static int low, high;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void count(int number) {
    __asm__ goto("testl %0, %0; jz %l1" : : "r"(number) : "cc" : zero);
    pthread_mutex_lock(&lock);
    high++;                                     // no-race
    pthread_mutex_unlock(&lock);
    return;
zero:
    low++;                                      // race missed(explore): it does not run assembly
}

static void *worker(void *arg) {
    count(arg != NULL);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return low + high;                          // no-race
}
