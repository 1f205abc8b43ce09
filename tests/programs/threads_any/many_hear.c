// Any number of listeners wait for a word that main says when all is ready.
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_bool(void);
static atomic_int word;
static int news;

static void *listener(void *arg) {
    if (atomic_load_explicit(&word, memory_order_acquire) == 2)
        return news ? arg : NULL;               // no-race alarm(lockset): the word takes two values
    return NULL;
}

int main(void) {
    for (int i = 0; i < 2 && __VERIFIER_nondet_bool(); i++) {
        pthread_t t;
        pthread_create(&t, NULL, listener, NULL);
    }
    atomic_store_explicit(&word, 1, memory_order_relaxed);
    news = 7;                                   // no-race alarm(lockset): the word takes two values
    atomic_store_explicit(&word, 2, memory_order_release);
    return 0;
}
