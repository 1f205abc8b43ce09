// A local variable that is always written decides.
#include <pthread.h>

static int shared, wanted;

static void choose(int *choice) {
    *choice = wanted;
}

static void *worker(void *arg) {
    shared = 1;                                 // no-race alarm(lockset): it does not follow the value
    return arg;
}

int main(void) {
    pthread_t t;
    int choice;
    choose(&choice);
    pthread_create(&t, NULL, worker, NULL);
    if (choice == 7)
        shared = 2;                             // no-race alarm(lockset): it does not follow the value
    pthread_join(t, NULL);
    return 0;
}
