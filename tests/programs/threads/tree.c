// A thread creates and joins its own children; main joins the thread only.
#include <pthread.h>

static int left, right, sum;

static void *child(void *arg) {
    int *p = arg;
    *p = 1;                                     // no-race
    return NULL;
}

static void *parent(void *arg) {
    pthread_t a, b;
    pthread_create(&a, NULL, child, &left);
    pthread_create(&b, NULL, child, &right);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    sum = left + right;                         // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    left = right = 0;                           // no-race
    pthread_create(&t, NULL, parent, NULL);
    pthread_join(t, NULL);
    return sum == 2 && left == 1 ? 0 : 1;       // no-race
}
