/* Transfers between two accounts, locked in one order. Racy: the sum is read without them. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#ifdef ENDLESS
#define ROUNDS for (;;)
#else
#define ROUNDS for (int round = 0; round < 2; round++)
#endif
#ifdef RACY
#define IF_RACY(a, b) a
#else
#define IF_RACY(a, b) b
#endif
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static unsigned left = 3, right;
static void *transfer(void *unused) {
    ROUNDS {
        pthread_mutex_lock(&a);
        pthread_mutex_lock(&b);
        unsigned amount = left != 0;
        left = amount ? left - 1 : 3;
        right = amount ? right + 1 : 0;
        pthread_mutex_unlock(&b);
        pthread_mutex_unlock(&a);
    }
    return unused;
}
static void *audit(void *unused) {
    ROUNDS {
        IF_RACY(, pthread_mutex_lock(&a);)
        IF_RACY(, pthread_mutex_lock(&b);)
        unsigned sum = left + right;
        IF_RACY(, pthread_mutex_unlock(&b);)
        IF_RACY(, pthread_mutex_unlock(&a);)
        (void)sum;
    }
    return unused;
}
int main(void) {
    pthread_t ids[2];
    pthread_create(&ids[0], 0, transfer, 0);
    pthread_create(&ids[1], 0, audit, 0);
    pthread_join(ids[0], 0);
    pthread_join(ids[1], 0);
    return 0;
}
