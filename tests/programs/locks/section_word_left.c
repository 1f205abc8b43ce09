// A word is read and set in one atomic section, in which functions are called; functions begin and end it.
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int taken, x, tries;

static void begin(void) { __VERIFIER_atomic_begin(); }
static void end(void) { __VERIFIER_atomic_end(); }

static void note(void) {
    pthread_mutex_lock(&m);
    tries++;                                    // no-race
    pthread_mutex_unlock(&m);
}

static void *worker(void *arg) {
    begin();
    int before = taken;                         // no-race
    note();
    taken = 1;                                  // no-race
    end();
    if (before == 0) {
        x++;                                    // no-race
        begin();
        taken = 0;                              // no-race
        end();
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
