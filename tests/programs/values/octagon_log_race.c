// A log that grows: a reader reads one entry more than is counted.
#include <pthread.h>

#define SIZE 4
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int count;
static int entry[SIZE];

static void *writer(void *arg) {
    for (int i = 0; i < SIZE - 1; i++) {
        pthread_mutex_lock(&m);
        int at = count;
        pthread_mutex_unlock(&m);
        entry[at] = i + 1;                      // race
        pthread_mutex_lock(&m);
        count = at + 1;
        pthread_mutex_unlock(&m);
    }
    return arg;
}

static void *reader(void *arg) {
    int sum = 0;
    pthread_mutex_lock(&m);
    int n = count;
    pthread_mutex_unlock(&m);
    for (int k = 0; k <= n; k++)
        sum += entry[k];                        // race
    return sum <= 6 ? arg : NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return entry[0] == 1 ? 0 : 1;               // no-race
}
