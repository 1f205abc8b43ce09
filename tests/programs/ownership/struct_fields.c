// Two threads use different fields of one struct, main a third.
#include <pthread.h>

static struct {
    int left;
    char flag, other_flag;
    int right;
} shared;

static void *uses_left(void *arg) {
    shared.left++;                              // no-race
    shared.flag = 1;                            // no-race
    return arg;
}

static void *uses_right(void *arg) {
    shared.right++;                             // no-race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, uses_left, NULL);
    pthread_create(&b, NULL, uses_right, NULL);
    shared.other_flag = 1;                      // no-race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return shared.left + shared.right == 2 ? 0 : 1;  // no-race
}
