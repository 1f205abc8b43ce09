// A jump into the middle of a loop's body makes a cycle that creates two threads in one round, for one element.
#include <pthread.h>

static int cells[2];

static void *worker(void *arg) {
    *(int *)arg = 1;                            // race
    return NULL;
}

int main(void) {
    pthread_t t;
    for (int i = 0; i < 2; i++) {
        int again = 1;
        if (i == 0)
            goto second;
    first:
        again--;
    second:
        pthread_create(&t, NULL, worker, &cells[i]);
        if (again > 0)
            goto first;
    }
    return 0;
}
