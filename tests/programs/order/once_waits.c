// A thread that comes second to pthread_once waits until the first has finished the routine.
#include <pthread.h>

static pthread_once_t control = PTHREAD_ONCE_INIT;
static int table[2], calls;

static void make(void) {
    table[0] = 1;                               // no-race
    table[1] = 2;                               // no-race
    calls++;                                    // no-race
}

static void *worker(void *arg) {
    pthread_once(&control, make);
    return table[0] + table[1] == 3 ? arg : NULL;  // no-race
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    worker(NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return calls == 1 ? 0 : 1;                  // no-race
}
