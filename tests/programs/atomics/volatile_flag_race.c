// volatile is not atomic: flag and data both race.
#include <pthread.h>

static volatile int flag;
static volatile int data;

static void *producer(void *arg) {
    data = 42;                                  // race
    flag = 1;                                   // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    while (!flag)                               // race
        ;
    int seen = data;                            // race
    pthread_join(t, NULL);
    return seen >= 0 ? 0 : 1;
}
