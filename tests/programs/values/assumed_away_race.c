// `stops` may stay at its assumption for good, after it has set the state: the two others go on and meet.
#include <pthread.h>

extern void __VERIFIER_assume(int);

int state, x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static int get(void) {
    pthread_mutex_lock(&m);
    int found = state; // no-race
    pthread_mutex_unlock(&m);
    return found;
}

static void set(int value) {
    pthread_mutex_lock(&m);
    state = value; // no-race
    pthread_mutex_unlock(&m);
}

void *stops(void *unused) {
    int before = get();
    set(2);
    __VERIFIER_assume(before == 1);
    set(3);
    return 0;
}

void *other(void *unused) {
    if (get() == 2)
        x = 2; // race
    return 0;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, stops, 0);
    pthread_create(&t, 0, other, 0);
    if (get() == 2)
        x = 1; // race
    return 0;
}
