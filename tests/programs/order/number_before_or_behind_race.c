// One is told the number before the step, the other the one behind it: 1 is the second number for the one, the first
// for the other.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int count;
static int chosen;

static void *before(void *arg) {
    int mine = atomic_fetch_add(&count, 1);     // no-race
    if (mine == 1)
        chosen++;                               // race
    return arg;
}

static void *behind(void *arg) {
    int mine = atomic_fetch_add(&count, 1) + 1; // no-race
    if (mine == 1)
        chosen++;                               // race
    return arg;
}

int main(void) {
    for (int i = 0; i < 4; i++) {
        pthread_t t;
        pthread_create(&t, NULL, i % 2 ? before : behind, NULL);
        pthread_detach(t);
    }
    return 0;
}
