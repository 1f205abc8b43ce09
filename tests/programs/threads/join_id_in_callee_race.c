// A function that does nothing else puts another id into the array before all are joined.
#include <pthread.h>
#include <stddef.h>

int x[3];

void *idle(void *arg) {
    return arg;
}

void *count(void *arg) {
    int *own = arg;
    *own = *own + 1; // race
    return NULL;
}

static void put(pthread_t *ids, pthread_t other) {
    ids[0] = other;
}

int main(void) {
    pthread_t ids[3];
    pthread_t other;
    pthread_create(&other, NULL, idle, NULL);
    for (int i = 0; i < 3; i++)
        pthread_create(&ids[i], NULL, count, &x[i]);
    put(ids, other);
    for (int i = 0; i < 3; i++)
        pthread_join(ids[i], NULL);
    x[0] = 5; // race
    return 0;
}
