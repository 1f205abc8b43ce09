// What is in the place for one object stays there if it is odd.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *slot;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    int *mine = slot;
    if (mine != NULL && *mine % 2 == 0) // race
        slot = NULL;
    pthread_mutex_unlock(&lock);
    if (mine != NULL)
        *mine += 2; // race
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    int *made = malloc(sizeof *made);
    if (made == NULL)
        return 1;
    *made = 1;
    pthread_mutex_lock(&lock);
    slot = made;
    pthread_mutex_unlock(&lock);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
