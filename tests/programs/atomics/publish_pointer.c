// An object is filled while private and published by a release store of its address.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct message {
    int a, b;
};

static struct message *_Atomic box;

static void *sender(void *arg) {
    struct message *msg = malloc(sizeof *msg);
    msg->a = 1;                                 // no-race
    msg->b = 2;                                 // no-race
    atomic_store_explicit(&box, msg, memory_order_release);  // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    struct message *msg;
    pthread_create(&t, NULL, sender, NULL);
    while ((msg = atomic_load_explicit(&box, memory_order_acquire)) == NULL)  // no-race
        ;
    int sum = msg->a + msg->b;                  // no-race
    pthread_join(t, NULL);
    free(msg);                                  // no-race
    return sum == 3 ? 0 : 1;
}
