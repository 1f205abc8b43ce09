// The running example of [PDP, Fig. 1]: y races if the second thread reads x before the first has counted.
// ROUNDS repeats the harmless sections on z: 1 is fdrd2, 2 is fdrd4.
#include <pthread.h>
#include <stdio.h>

#ifndef ROUNDS
#define ROUNDS 1
#endif

static pthread_mutex_t f1 = PTHREAD_MUTEX_INITIALIZER, f2 = PTHREAD_MUTEX_INITIALIZER;
static int x, y, z;

static void *first(void *arg) {
    pthread_mutex_lock(&f1);
    x++;
    pthread_mutex_unlock(&f1);
    pthread_mutex_lock(&f2);
    y++;
    pthread_mutex_unlock(&f2);
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&f1);
        z++;
        pthread_mutex_unlock(&f1);
    }
    return arg;
}

static void *second(void *arg) {
    int c;
    pthread_mutex_lock(&f1);
    pthread_mutex_lock(&f2);
    z++;
    c = x;
    pthread_mutex_unlock(&f2);
    pthread_mutex_unlock(&f1);
    for (int i = 1; i < ROUNDS; i++) {
        pthread_mutex_lock(&f1);
        z++;
        pthread_mutex_unlock(&f1);
    }
    pthread_mutex_lock(&f1);
    if (c == 0)
        y = 7;
    pthread_mutex_unlock(&f1);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_mutex_lock(&f1);
    printf("x %d, z %d\n", x, z);
    pthread_mutex_unlock(&f1);
    return 0;
}
