// A helper thread joins the worker, but nobody waits for the helper.
#include <pthread.h>

static int value;
static pthread_t w, h;

static void *worker(void *arg) {
    value = 1;                                  // race
    return arg;
}

static void *helper(void *arg) {
    pthread_join(w, NULL);
    return arg;
}

int main(void) {
    pthread_create(&w, NULL, worker, NULL);
    pthread_create(&h, NULL, helper, NULL);
    int seen = value;                           // race
    pthread_join(h, NULL);
    return seen <= 1 ? 0 : 1;
}
