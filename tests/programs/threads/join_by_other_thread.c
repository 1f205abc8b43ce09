// A helper thread joins the worker, main joins the helper: the order is transitive.
#include <pthread.h>

static int value;

static void *worker(void *arg) {
    value = 1;                                  // no-race alarm(lockset): joined by another thread than its creator
    return arg;
}

static void *helper(void *arg) {
    pthread_t *id = arg;
    pthread_join(*id, NULL);
    return NULL;
}

int main(void) {
    pthread_t w, h;
    pthread_create(&w, NULL, worker, NULL);
    pthread_create(&h, NULL, helper, &w);
    pthread_join(h, NULL);
    return value == 1 ? 0 : 1;                  // no-race alarm(lockset): joined by another thread than its creator
}
