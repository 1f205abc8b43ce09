// A word is read in one atomic section and set in the next one: functions begin and end them.
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int taken, x;

static void begin(void) { __VERIFIER_atomic_begin(); }
static void end(void) { __VERIFIER_atomic_end(); }

static void *worker(void *arg) {
    begin();
    int before = taken;                         // no-race
    end();
    begin();
    taken = 1;                                  // no-race
    end();
    if (before == 0) {
        x++;                                    // race
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
