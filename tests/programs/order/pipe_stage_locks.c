// Two stages hand a record over through a slot with a full flag, slot and flag under one mutex.
#include <pthread.h>

struct record {
    int key, value;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static struct record slot;
static int full;

static void *sender(void *arg) {
    for (int i = 0; i < 5; i++) {
        struct record r = {i, i * i};
        pthread_mutex_lock(&m);
        while (full)                            // no-race
            pthread_cond_wait(&turn, &m);
        slot = r;                               // no-race
        full = 1;                               // no-race
        pthread_cond_signal(&turn);
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    int sum = 0;
    pthread_create(&t, NULL, sender, NULL);
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&m);
        while (!full)                           // no-race
            pthread_cond_wait(&turn, &m);
        struct record r = slot;                 // no-race
        full = 0;                               // no-race
        pthread_cond_signal(&turn);
        pthread_mutex_unlock(&m);
        sum += r.value;
    }
    pthread_join(t, NULL);
    return sum == 30 ? 0 : 1;
}
