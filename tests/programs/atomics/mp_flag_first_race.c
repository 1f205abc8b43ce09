// The flag is raised before the data is written.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static int data;

static void *producer(void *arg) {
    atomic_store(&flag, 1);                     // no-race
    data = 42;                                  // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    while (!atomic_load(&flag))                 // no-race
        ;
    int seen = data;                            // race
    pthread_join(t, NULL);
    return seen >= 0 ? 0 : 1;
}
