// Main closes a gate under the lock when no worker is inside, and then works alone.
#include <pthread.h>

enum { OPEN, BUSY, CLOSED };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int gate = OPEN;
static int data;

static void set_gate(int state) {
    pthread_mutex_lock(&m);
    gate = state;
    pthread_mutex_unlock(&m);
}

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    int entered = gate == OPEN;
    if (entered)
        gate = BUSY;
    pthread_mutex_unlock(&m);
    if (entered) {
        data += 2;                              // no-race alarm(lockset): closed for the worker, or not entered by main
        set_gate(OPEN);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&m);
    int closed = gate != BUSY;
    if (closed)
        gate = CLOSED;
    pthread_mutex_unlock(&m);
    if (closed)
        data = 1;                               // no-race alarm(lockset): closed for the worker, or not entered by main
    pthread_join(t, NULL);
    return data <= 2 ? 0 : 1;                   // no-race
}
