// One slot: `full` is under the lock, the slot itself is written while empty and read while full.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int full;
    int letter;
} box;

static int look(void) {
    pthread_mutex_lock(&m);
    int seen = box.full;
    pthread_mutex_unlock(&m);
    return seen;
}

static void set(int full) {
    pthread_mutex_lock(&m);
    box.full = full;
    pthread_mutex_unlock(&m);
}

static void *sender(void *arg) {
    for (int i = 0; i < 2; i++)
        if (look() == 0) {
            box.letter = i;                     // no-race alarm(lockset): written while empty, read while full
            set(1);
        }
    return arg;
}

static void *receiver(void *arg) {
    int sum = 0;
    for (int i = 0; i < 2; i++)
        if (look() == 1) {
            sum += box.letter;                  // no-race alarm(lockset): written while empty, read while full
            set(0);
        }
    return sum < 2 ? arg : NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, sender, NULL);
    pthread_create(&b, NULL, receiver, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
