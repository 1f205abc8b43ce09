// Taking the word is assumed to succeed, in a function that gets the condition as a number: nobody goes on without it.
#include <pthread.h>
#include <stdlib.h>

static int word, count;

static void assume_or_end(int condition) {
    if (!condition)
        abort();
}

void __VERIFIER_atomic_take(void) {
    assume_or_end(word == 0);   // no-race
    word = 1;                   // no-race
}

void __VERIFIER_atomic_give(void) {
    assume_or_end(word == 1);   // no-race
    word = 0;                   // no-race
}

static void *worker(void *arg) {
    __VERIFIER_atomic_take();
    count++;                    // no-race
    __VERIFIER_atomic_give();
    return arg;
}

int main(void) {
    for (int i = 0; i < 3; i++) {
        pthread_t id;
        pthread_create(&id, NULL, worker, NULL);
    }
    return 0;
}
