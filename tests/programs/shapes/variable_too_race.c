// One function counts in what threads take out of a slot, and in a variable of all of them.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *slot;
static int total;

static void count(int *counter) {
    (*counter)++; // race
}

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    int *own = slot;
    slot = NULL;
    pthread_mutex_unlock(&lock);
    if (own == NULL)
        own = calloc(1, sizeof *own);
    if (own == NULL)
        return NULL;
    count(own);
    count(&total);
    pthread_mutex_lock(&lock);
    if (slot == NULL) {
        slot = own;
        own = NULL;
    }
    pthread_mutex_unlock(&lock);
    free(own);
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
