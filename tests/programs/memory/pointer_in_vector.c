// Pointers are copied as a vector of characters; what they point to is under one lock.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
typedef char chunk __attribute__((vector_size(16), may_alias, aligned(1)));
struct two {
    int *first, *second;
};
static int value;
static struct two from, to;

static void *first(void *arg) {
    pthread_mutex_lock(&m);
    *to.second = 1;                            // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    value = 2;                                 // no-race
    pthread_mutex_unlock(&m);
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
