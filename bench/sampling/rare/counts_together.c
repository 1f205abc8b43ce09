/* Only when both are half way at the same time. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int a, b, log_size;

static void *first(void *unused) {
    (void)unused;
    for (int i = 0; i < 8; i++) {
        pthread_mutex_lock(&m);
        a++;
        int meet = a == 4 && b == 4;
        pthread_mutex_unlock(&m);
        if (meet) log_size++; // race
    }
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    for (int i = 0; i < 8; i++) {
        pthread_mutex_lock(&m);
        b++;
        int meet = b == 5 && a == 4;
        pthread_mutex_unlock(&m);
        if (meet) log_size++; // race
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
