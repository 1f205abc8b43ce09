// Another thread reads the variable in which pthread_join stores a result.
#include <pthread.h>

static void *result;

static void *worker(void *arg) {
    return arg;
}

static void *reader(void *arg) {
    return result == arg ? arg : NULL;  // race
}

int main(void) {
    pthread_t t, u;
    pthread_create(&u, NULL, reader, NULL);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, &result);           // race
    pthread_join(u, NULL);
    return 0;
}
