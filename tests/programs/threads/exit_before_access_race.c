// The helper ends the thread only for one argument; another instance goes on to the access.
#include <pthread.h>

static int value;

static void finish_if(void *flag) {
    if (flag == NULL)
        pthread_exit(NULL);
}

static void *worker(void *arg) {
    finish_if(arg);
    value = 1;                                  // race
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, &value);
    value = 2;                                  // race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value > 0 ? 0 : 1;                   // no-race
}
