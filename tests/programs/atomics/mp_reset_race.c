// The producer takes the flag back and writes again: who saw the flag before may still read.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static int data;

static void *producer(void *arg) {
    for (int i = 0; i < 20; i++) {
        data = i;                               // race
        atomic_store(&flag, 1);                 // no-race
        atomic_store(&flag, 0);                 // no-race
    }
    atomic_store(&flag, 1);                     // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    int sum = 0;
    pthread_create(&t, NULL, producer, NULL);
    for (int i = 0; i < 20; i++)
        if (atomic_load(&flag))                 // no-race
            sum += data;                        // race
    pthread_join(t, NULL);
    return sum >= 0 ? 0 : 1;
}
