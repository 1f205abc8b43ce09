// A variable is looked at as something larger only where the program says that it is: here, never.
#include <pthread.h>

struct pair {
    int first, second;
};

static int shared;

static void *worker(void *arg) {
    shared += *(int *)arg;                      // no-race
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t t;
    int small = 0;
    pthread_create(&t, NULL, worker, &small);
    struct pair *pair = (struct pair *)&small;
    if (argc < 0 && argv)
        pair->second = 1;                       // no-race
    pthread_join(t, NULL);
    return shared;                              // no-race
}
