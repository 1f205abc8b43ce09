// A barrier for two that believes the first to be the last.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int waiting = 2;
static atomic_int sense;
static int left, right;

static void barrier(int mine) {
    if (atomic_fetch_sub(&waiting, 1) == 2) {
        atomic_store(&waiting, 2);
        atomic_store(&sense, mine);
    } else {
        while (atomic_load(&sense) != mine)
            ;
    }
}

static void *first(void *arg) {
    left = 1;                                   // race
    barrier(1);
    return right == 2 ? arg : NULL;             // race
}

static void *second(void *arg) {
    right = 2;                                  // race
    barrier(1);
    return left == 1 ? arg : NULL;              // race
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
