// A thread takes no lock if the lower half of an address is not zero: which it is depends on where objects lie.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int data, x;
static int *where = &data;

static void *worker(void *arg) {
    int half = ((int *)&where)[0];
    if (half != 0) {
        x++;                                    // race
    } else {
        pthread_mutex_lock(&m);
        x++;
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
