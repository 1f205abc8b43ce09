// The result of another thread, an id, is stored over an id before all are joined.
#include <pthread.h>
#include <stddef.h>

int x[3];

pthread_t other;

void *idle(void *arg) {
    return arg;
}

void *count(void *arg) {
    int *own = arg;
    *own = *own + 1; // race
    return NULL;
}

void *give(void *arg) {
    (void)arg;
    return (void *)other;
}

int main(void) {
    pthread_t ids[3];
    pthread_t giver;
    pthread_create(&other, NULL, idle, NULL);
    pthread_create(&giver, NULL, give, NULL);
    for (int i = 0; i < 3; i++)
        pthread_create(&ids[i], NULL, count, &x[i]);
    pthread_join(giver, (void **)&ids[0]);
    for (int i = 0; i < 3; i++)
        pthread_join(ids[i], NULL);
    x[0] = 5; // race
    return 0;
}
