// Pointers are copied as a vector of characters.
#include <pthread.h>
#include <stddef.h>

typedef char chunk __attribute__((vector_size(16), may_alias, aligned(1)));
struct two {
    int *first, *second;
};
static int value;
static struct two from, to;

static void *first(void *arg) {
    *to.second = 1;                            // race
    return arg;
}

static void *second(void *arg) {
    value = 2;                                 // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    from.second = &value;
    *(chunk *)&to = *(chunk *)&from;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
