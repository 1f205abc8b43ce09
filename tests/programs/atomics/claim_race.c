// Test and set of the claim are two steps: two may win.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int claimed;
static int result;

static void *worker(void *arg) {
    if (!atomic_load(&claimed)) {               // no-race
        atomic_store(&claimed, 1);              // no-race
        result = (int)(long)arg;                // race
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, (void *)1L);
    pthread_create(&b, NULL, worker, (void *)2L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return result > 0 ? 0 : 1;                  // no-race
}
