// The data is used exactly if the flag is not yet there.
#include <pthread.h>
#include <stdatomic.h>

static atomic_bool flag;
static int data;

static void *producer(void *arg) {
    data = 42;                                  // race
    flag = 1;                                   // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    int seen = 42;
    pthread_create(&t, NULL, producer, NULL);
    if (!flag)                                  // no-race
        seen = data;                            // race
    pthread_join(t, NULL);
    return seen >= 0 ? 0 : 1;
}
