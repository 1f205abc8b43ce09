// A weak variable that nobody defines: its address is null.
#include <pthread.h>

extern int tuning __attribute__((weak));
static int value;

static void *worker(void *arg) {
    (void)arg;
    if (!&tuning)
        value = 2;                              // race
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    value = 1;                                  // race
    pthread_join(t, NULL);
    return 0;
}
