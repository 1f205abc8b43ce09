// The producer writes once more after it has raised the flag.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static int data, extra;

static void *producer(void *arg) {
    data = 42;                                  // no-race
    extra = 1;                                  // no-race
    atomic_store(&flag, 1);                     // no-race
    extra = 2;                                  // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    while (!atomic_load(&flag))                 // no-race
        ;
    int seen = data;                            // no-race
    seen += extra;                              // race
    pthread_join(t, NULL);
    return seen > 42 ? 0 : 1;
}
