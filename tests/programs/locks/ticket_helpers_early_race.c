// As ticket_helpers, but the one that looks counts on right away.
#include <pthread.h>
#include <stdatomic.h>

struct ticket_lock {
    atomic_uint next, serving;
};
static struct ticket_lock lock;
static int data;

static unsigned look(struct ticket_lock *l) {
    unsigned seen = atomic_load_explicit(&l->serving, memory_order_acquire);
    atomic_fetch_add(&l->serving, 1);
    return seen;
}

static unsigned draw(struct ticket_lock *l) {
    return atomic_fetch_add(&l->next, 1);
}

static void *worker(void *arg) {
    unsigned my = draw(&lock);
    if (look(&lock) == my)
        data++;                                                              // race
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
