// A table of functions of different types: those that want more arguments than they would get are not called.
#include <pthread.h>
#include <stdlib.h>

typedef void action(void);

static int value;
static void change(void) { value++; }           // no-race
static action *const table[] = {change, (action *)pthread_mutex_lock, (action *)pthread_create, (action *)pthread_join};

static void *worker(void *arg) {
    table[*(int *)arg]();
    return NULL;
}

int main(void) {
    pthread_t t;
    int which = 0;
    pthread_create(&t, NULL, worker, &which);
    pthread_join(t, NULL);
    value = 2;                                  // no-race
    return 0;
}
