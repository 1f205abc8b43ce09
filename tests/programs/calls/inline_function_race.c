// An inline function in the sense of C99, which no file defines otherwise: its body counts.
#include <pthread.h>

static int calls;

inline int count(int by) {
    calls += by;                                // race
    return by;
}

static void *worker(void *arg) {
    return count(1) ? arg : NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return calls;                               // no-race
}
