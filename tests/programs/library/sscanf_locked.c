// sscanf writes through its pointer arguments, under a lock.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int width, height;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    int n = sscanf("3 4", "%d %d", &width, &height);  // no-race
    pthread_mutex_unlock(&m);
    return n == 2 ? arg : NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&m);
    int area = width * height;                  // no-race
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return area <= 12 ? 0 : 1;
}
