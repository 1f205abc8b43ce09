// An object is published by a relaxed store of its address.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct message {
    int a, b;
};

static struct message *_Atomic box;

static void *sender(void *arg) {
    struct message *msg = malloc(sizeof *msg);
    msg->a = 1;                                 // race
    msg->b = 2;                                 // race
    atomic_store_explicit(&box, msg, memory_order_relaxed);  // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    struct message *msg;
    pthread_create(&t, NULL, sender, NULL);
    while ((msg = atomic_load_explicit(&box, memory_order_relaxed)) == NULL)  // no-race
        ;
    int sum = msg->a + msg->b;                  // race
    pthread_join(t, NULL);
    free(msg);                                  // no-race
    return sum >= 0 ? 0 : 1;
}
