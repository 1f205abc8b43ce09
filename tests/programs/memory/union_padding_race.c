// Backwards over the numbers of a union whose other member is shorter.
#include <pthread.h>

static union {
    double all;
    int part[4];
} plain, initial = {1.0};

static void *worker(void *arg) {
    for (int *at = plain.part + 3; at >= plain.part; at--)
        *at = 0;                                // race
    int *middle = &initial.part[2];
    middle[-1] = 1;                             // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    plain.part[1] = 2;                          // race
    initial.part[1] = 2;                        // race
    pthread_join(t, NULL);
    return plain.part[3] + initial.part[3];
}
