// Clean-up handlers of a cancelled thread run last in, first out, and before the join returns.
#include <pthread.h>

static int order[2], next;

static void note(void *arg) {
    order[next++] = (int)(long)arg;             // no-race
}

static void *worker(void *arg) {
    pthread_cleanup_push(note, (void *)1L);
    pthread_cleanup_push(note, (void *)2L);
    for (int i = 0; i < 1; i++)
        pthread_testcancel();
    pthread_cleanup_pop(1);
    pthread_cleanup_pop(1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_cancel(t);
    pthread_join(t, NULL);
    return next == 2 && order[0] == 2 ? 0 : 1;  // no-race
}
