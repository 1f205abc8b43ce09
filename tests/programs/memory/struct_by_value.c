// A struct passed by value: the callee changes its own copy, under no lock.
#include <pthread.h>

struct settings {
    int level, mode;
};

static struct settings settings = {1, 2};

static int tune(struct settings s) {
    s.level += 10;                              // no-race
    return s.level + s.mode;
}

static void *worker(void *arg) {
    return tune(settings) == 13 ? arg : NULL;   // no-race
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    settings.level = 0;                         // no-race
    return 0;
}
