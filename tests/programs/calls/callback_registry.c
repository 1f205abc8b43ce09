// Callbacks registered with their data before the threads start, called under a lock.
#include <pthread.h>

#define MAX 4
static struct {
    void (*call)(void *);
    void *data;
} registry[MAX];
static int registered;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void on_event(void (*call)(void *), void *data) {
    registry[registered].call = call;           // no-race
    registry[registered].data = data;           // no-race
    registered++;                               // no-race
}

static int events, errors;

static void count(void *data) {
    *(int *)data += 1;                          // no-race
}

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    for (int i = 0; i < registered; i++)        // no-race
        registry[i].call(registry[i].data);     // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    on_event(count, &events);
    on_event(count, &errors);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return events + errors == 4 ? 0 : 1;        // no-race
}
