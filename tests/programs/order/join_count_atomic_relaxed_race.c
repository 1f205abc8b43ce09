// A cleaner joins the threads and counts each of them out atomically, but without release.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t result_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t ids[2];
static atomic_int running;
static int result;

static void *worker(void *arg) {
    pthread_mutex_lock(&result_lock);
    result += 2;                                // race
    pthread_mutex_unlock(&result_lock);
    return arg;
}

static void *cleaner(void *arg) {
    for (int i = 0; i < 2; i++) {
        pthread_join(ids[i], NULL);
        atomic_fetch_sub_explicit(&running, 1, memory_order_relaxed);
    }
    return arg;
}

int main(void) {
    pthread_t c;
    for (int i = 0; i < 2; i++) {
        pthread_create(&ids[i], NULL, worker, NULL);
        atomic_fetch_add(&running, 1);
    }
    pthread_create(&c, NULL, cleaner, NULL);
    while (atomic_load(&running) != 0)
        ;
    return result > 4;                          // race
}
