// Two threads, each with N local operations between two locked sections: 6 traces, and time spent in the program.
#include <pthread.h>

#ifndef N
#define N 100000
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned total;

static unsigned work(unsigned seed) {
    unsigned table[64];
    for (unsigned i = 0; i < 64; i++)
        table[i] = seed + i;
    for (unsigned i = 0; i < N; i++)
        table[i % 64] = table[(i + 7) % 64] * 31 + i;
    return table[seed % 64];
}

static void *worker(void *arg) {
    unsigned seed;
    pthread_mutex_lock(&lock);
    seed = ++total;
    pthread_mutex_unlock(&lock);
    seed = work(seed);
    pthread_mutex_lock(&lock);
    total += seed & 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv) {
    // With an argument the program runs that often in a row, to be timed natively.
    int rounds = argc > 1 ? 0 : 1;
    for (const char *digit = argc > 1 ? argv[1] : ""; *digit >= '0' && *digit <= '9'; digit++)
        rounds = rounds * 10 + (*digit - '0');
    for (int i = 0; i < rounds; i++) {
        pthread_t a, b;
        pthread_create(&a, NULL, worker, NULL);
        pthread_create(&b, NULL, worker, NULL);
        pthread_join(a, NULL);
        pthread_join(b, NULL);
    }
    return 0;
}
