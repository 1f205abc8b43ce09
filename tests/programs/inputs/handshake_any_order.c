// The receiver waits for both messages.
// Both senders have written before the count is 2.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int messages, left, right, sum;

static void announce(void) {
    pthread_mutex_lock(&m);
    messages++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&m);
}

static void *first(void *arg) {
    left = 1;                                   // no-race alarm(lockset): the order is in the count of messages
    announce();
    return arg;
}

static void *second(void *arg) {
    right = 2;                                  // no-race alarm(lockset): the order is in the count of messages
    announce();
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_mutex_lock(&m);
    while (messages < 2)
        pthread_cond_wait(&changed, &m);
    pthread_mutex_unlock(&m);
    sum = left + right;                         // no-race alarm(lockset): the order is in the count of messages
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return sum;
}
