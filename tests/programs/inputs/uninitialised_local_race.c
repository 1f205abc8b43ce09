// A local variable that is not always written decides: its value may be any.
#include <pthread.h>

static int shared, wanted;

static void choose(int *choice) {
    if (wanted)
        *choice = 0;
}

static void *worker(void *arg) {
    shared = 1;                                 // race missed(explore): it reads whatever lies in memory, and says so
    return arg;
}

int main(void) {
    pthread_t t;
    int choice;
    choose(&choice);
    pthread_create(&t, NULL, worker, NULL);
    if (choice == 7)
        shared = 2;                             // race missed(explore): it reads whatever lies in memory, and says so
    pthread_join(t, NULL);
    return 0;
}
