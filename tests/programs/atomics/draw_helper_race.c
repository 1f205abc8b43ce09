// Numbers are drawn from a counter by a function that counts another one down; one thread lets it count this one down.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int next, left = 4;
static int slots[8];

static int add(atomic_int *place, int amount) { return atomic_fetch_add(place, amount); }

static void *worker(void *arg) {
    int mine = add(&next, 1);                   // no-race
    if (mine >= 0 && mine < 8)
        slots[mine]++;                          // race
    add(&left, -1);                             // no-race
    return arg;
}

static void *other(void *arg) {
    add(&next, -1);                             // no-race
    return arg;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_create(&c, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return slots[0] < 0;                        // no-race
}
