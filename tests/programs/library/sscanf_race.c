// sscanf writes through its pointer arguments while main reads one of them.
#include <pthread.h>
#include <stdio.h>

static int width, height;

static void *worker(void *arg) {
    int n = sscanf("3 4", "%d %d", &width, &height);  // race
    return n == 2 ? arg : NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    int seen = height;                          // race
    pthread_join(t, NULL);
    return seen <= width + height ? 0 : 1;      // no-race
}
