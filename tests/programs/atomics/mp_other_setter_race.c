// Another thread also raises the flag, without having seen the data.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static int data;

static void *producer(void *arg) {
    data = 42;                                  // race
    atomic_store(&flag, 1);                     // no-race
    return arg;
}

static void *impatient(void *arg) {
    atomic_store(&flag, 1);                     // no-race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&b, NULL, impatient, NULL);
    pthread_create(&a, NULL, producer, NULL);
    while (!atomic_load(&flag))                 // no-race
        ;
    int seen = data;                            // race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return seen >= 0 ? 0 : 1;
}
