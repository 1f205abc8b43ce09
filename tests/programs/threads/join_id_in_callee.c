// A function reads the array of ids before all are joined.
#include <pthread.h>
#include <stddef.h>

int x[3];

void *idle(void *arg) {
    return arg;
}

void *count(void *arg) {
    int *own = arg;
    *own = *own + 1; // no-race
    return NULL;
}

static int is_in(const pthread_t *ids, pthread_t other) {
    return pthread_equal(ids[0], other);
}

int main(void) {
    pthread_t ids[3];
    pthread_t other;
    pthread_create(&other, NULL, idle, NULL);
    for (int i = 0; i < 3; i++)
        pthread_create(&ids[i], NULL, count, &x[i]);
    int found = is_in(ids, other);
    for (int i = 0; i < 3; i++)
        pthread_join(ids[i], NULL);
    pthread_join(other, NULL);
    x[0] = 5; // no-race
    return found;
}
