// Message passing without waiting: the data is used only if the flag is already there.
#include <pthread.h>
#include <stdatomic.h>

static atomic_bool flag;
static int data;

static void *producer(void *arg) {
    data = 42;                                  // no-race
    flag = 1;                                   // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    int seen = 42;
    pthread_create(&t, NULL, producer, NULL);
    if (flag)                                   // no-race
        seen = data;                            // no-race
    pthread_join(t, NULL);
    return seen == 42 ? 0 : 1;
}
