// A place for one object: who finds it there takes it out.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *slot;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    int *mine = slot;
    slot = NULL;
    pthread_mutex_unlock(&lock);
    if (mine != NULL) {
        *mine += 1; // no-race alarm(lockset): an object that was taken out belongs to who took it
        free(mine); // no-race alarm(lockset): an object that was taken out belongs to who took it
    }
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
    int *old = slot;
    slot = made;
    pthread_mutex_unlock(&lock);
    free(old); // no-race alarm(lockset): an object that was taken out belongs to who took it
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
