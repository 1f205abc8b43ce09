// A flag is cleared before main begins, and set when what main writes is there.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int state, unused;
static int data;

__attribute__((constructor)) static void begin(void) {
    atomic_store(&state, 0);
    atomic_store(&unused, 1);
}

static void *reader(void *arg) {
    if (atomic_load(&state) != 0 && data == 0)  // no-race
        return NULL;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, reader, NULL);
    data = 1;                                   // no-race
    atomic_store(&state, 1);
    pthread_join(t, NULL);
    return 0;
}
