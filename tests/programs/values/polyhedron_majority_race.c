// Who has half of the votes works, so both may.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int total, unused, mine, yours;
static int data;

static void *first(void *arg) {
    int won = 0;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        if (unused > 0) {
            unused--;
            mine++;
        }
        won = 2 * mine >= total;
        pthread_mutex_unlock(&m);
    }
    if (won)
        data = 1;                               // race
    return arg;
}

static void *second(void *arg) {
    int won = 0;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        if (unused > 0) {
            unused--;
            yours++;
        }
        won = 2 * yours >= total;
        pthread_mutex_unlock(&m);
    }
    if (won)
        data = 2;                               // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    total = __VERIFIER_nondet_int();
    if (total < 1 || total > 4)
        return 0;
    unused = total;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return data <= 2 ? 0 : 1;                   // no-race
}
