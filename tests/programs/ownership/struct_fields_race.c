// Two threads use different fields, and both a third one.
#include <pthread.h>

static struct {
    int left, right, total;
} shared;

static void *uses_left(void *arg) {
    shared.left++;                              // no-race
    shared.total++;                             // race
    return arg;
}

static void *uses_right(void *arg) {
    shared.right++;                             // no-race
    shared.total++;                             // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, uses_left, NULL);
    pthread_create(&b, NULL, uses_right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return shared.total <= 2 ? 0 : 1;           // no-race
}
