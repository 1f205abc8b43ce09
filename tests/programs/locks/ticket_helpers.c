// As ticket_serving, with functions that draw a number, look who is served, and count on.
#include <pthread.h>
#include <stdatomic.h>

struct ticket_lock {
    atomic_uint next, serving;
};
static struct ticket_lock lock;
static int data;

static unsigned look(struct ticket_lock *l) {
    return atomic_load_explicit(&l->serving, memory_order_acquire);
}

static unsigned draw(struct ticket_lock *l) {
    return atomic_fetch_add(&l->next, 1);
}

static void count_on(struct ticket_lock *l) {
    atomic_fetch_add(&l->serving, 1);
}

static void *worker(void *arg) {
    unsigned my = draw(&lock);
    while (look(&lock) != my)
        ;
    data++;                                                                  // no-race
    count_on(&lock);
    return arg;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return data == 3 ? 0 : 1;                                                // no-race
}
