// A lock made by hand whose second owner may take it from the first.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int word = 1;
static int data;

static void take(int owner) {
    for (;;) {
        int free_word = 1;
        while (atomic_load(&word) != 1)
            ;
        if (atomic_compare_exchange_strong(&word, &free_word, owner))
            return;
    }
}

static void *first(void *arg) {
    take(7);
    data += 7;                                  // race
    atomic_store(&word, 1);
    return arg;
}

static void *second(void *arg) {
    int seen = 7;
    if (!atomic_compare_exchange_strong(&word, &seen, 9))
        take(9);
    data += 9;                                  // race
    atomic_store(&word, 1);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return data == 16 ? 0 : 1;                  // no-race
}
