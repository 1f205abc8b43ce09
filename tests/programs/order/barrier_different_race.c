// Two barriers: each thread waits at another one, both for one thread plus main.
#include <pthread.h>

static pthread_barrier_t first, second;
static int value;

static void *writer(void *arg) {
    value = 1;                                  // race
    pthread_barrier_wait(&first);
    return arg;
}

static void *reader(void *arg) {
    pthread_barrier_wait(&second);
    return value ? arg : NULL;                  // race
}

int main(void) {
    pthread_t a, b;
    pthread_barrier_init(&first, NULL, 2);
    pthread_barrier_init(&second, NULL, 2);
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_barrier_wait(&second);
    pthread_barrier_wait(&first);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
