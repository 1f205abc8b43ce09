// From one element of an array to the same place in the next, by the size of an element.
#include <pthread.h>

static struct point {
    int id;
    int at[2];
    int weight;
} points[4];

static void *worker(void *arg) {
    char *here = (char *)&points[0].at[1];
    *(int *)(here + sizeof(struct point)) = 1;  // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    points[1].at[1] = 2;                        // race
    pthread_join(t, NULL);
    return points[0].id;
}
