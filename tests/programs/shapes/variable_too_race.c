// One function counts in what threads have made themselves, and in a variable of all of them.
#include <pthread.h>
#include <stdlib.h>

static int total;

static void count(int *counter) {
    (*counter)++; // race
}

static void *worker(void *arg) {
    int *own = calloc(1, sizeof *own);
    if (own == NULL)
        return NULL;
    count(own);
    count(&total);
    return own;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
