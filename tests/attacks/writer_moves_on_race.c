// Main points elsewhere between two creations: the first thread may look only then.
#include <pthread.h>
#include <stdlib.h>

static int a, b;
static int *place;

static void *work(void *arg) {
    ++*place; // race
    return arg;
}

int main(void) {
    pthread_t s, t;
    place = &a;
    pthread_create(&s, NULL, work, NULL);
    place = &b; // race
    pthread_create(&t, NULL, work, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return 0;
}
