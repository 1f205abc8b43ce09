// a wait gives back only its own mutex: another one is held meanwhile, or not: deadlock
#include <pthread.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;

static void *waiter(void *p) {
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m); // deadlock
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&outer);
    return p;
}

static void *setter(void *p) {
    pthread_mutex_lock(&outer); // deadlock
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&outer);
    return p;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, waiter, 0);
    pthread_create(&u, 0, setter, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
