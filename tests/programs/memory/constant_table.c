// A constant table and string literals are only read.
#include <pthread.h>

static const int primes[] = {2, 3, 5, 7};
static const char *const names[] = {"two", "three", "five", "seven"};

static void *worker(void *arg) {
    long sum = 0;
    for (int i = 0; i < 4; i++)
        sum += primes[i] + names[i][0];         // no-race
    return (void *)sum;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    int first = primes[0];                      // no-race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return first == 2 ? 0 : 1;
}
