/* Three states, and one that is seen twice. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int state, entered;

static void *first(void *unused) {
    (void)unused;
    for (int i = 0; i < 6; i++) {
        pthread_mutex_lock(&m);
        if (state == 0) state = 1;
        else if (state == 2) state = 3;
        int now = state;
        pthread_mutex_unlock(&m);
        if (now == 3) entered++; // race
    }
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    for (int i = 0; i < 6; i++) {
        pthread_mutex_lock(&m);
        if (state == 1) state = 2;
        int now = state;
        pthread_mutex_unlock(&m);
        if (now == 3) entered++; // race
    }
    return NULL;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
