// Every thread starts with the initial values of thread-local variables, whatever others did to theirs.
#include <pthread.h>

struct state {
    int number;
    const char *name;
};
static _Thread_local struct state state = {5, "five"};
static int results[2];

static int next(void) {
    static _Thread_local int calls;
    return ++calls + state.number++;            // no-race
}

static void *worker(void *arg) {
    long i = (long)arg;
    results[i] = next();                        // no-race
    results[i] += state.name[0] == 'f';         // no-race
    return NULL;
}

int main(void) {
    pthread_t a, b;
    state.number = 100;                         // no-race
    pthread_create(&a, NULL, worker, (void *)0L);
    pthread_create(&b, NULL, worker, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return results[0] == 7 && results[1] == 7 && state.number == 100 ? 0 : 1;  // no-race
}
