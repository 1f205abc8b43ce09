// Locals whose address is taken, but only inside their own thread.
#include <pthread.h>

static void fill(int *p, int n) {
    for (int i = 0; i < n; i++)
        p[i] = i;                               // no-race
}

static void *worker(void *arg) {
    int buffer[4];
    int *p = buffer;
    fill(p, 4);
    long sum = p[1] + buffer[3];                // no-race
    return (void *)sum;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
