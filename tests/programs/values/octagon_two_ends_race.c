// Two threads take elements from the two ends of an array, also when none is left.
#include <pthread.h>

#define N 3
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int low = 0, high = N;
static int cell[N + 1];

static void *upwards(void *arg) {
    for (int round = 0; round < 2; round++) {
        pthread_mutex_lock(&m);
        int at = low, more = low < high;
        if (more)
            low++;
        pthread_mutex_unlock(&m);
        if (more)
            cell[at] = 1;                       // race
    }
    return arg;
}

static void *downwards(void *arg) {
    for (int round = 0; round < 2; round++) {
        pthread_mutex_lock(&m);
        int more = low <= high;
        if (more)
            high--;
        int at = high;
        pthread_mutex_unlock(&m);
        if (more)
            cell[at] = 2;                       // race
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, upwards, NULL);
    pthread_create(&b, NULL, downwards, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
