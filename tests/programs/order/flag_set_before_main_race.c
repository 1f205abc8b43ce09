// A flag is set before main begins, and again when what main writes is there.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int state;
static int data;

__attribute__((constructor)) static void begin(void) {
    atomic_store(&state, 1);
}

static void *reader(void *arg) {
    if (atomic_load(&state) != 0 && data == 0)  // race
        return NULL;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, reader, NULL);
    data = 1;                                   // race
    atomic_store(&state, 2);
    pthread_join(t, NULL);
    return 0;
}
