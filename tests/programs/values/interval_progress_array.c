// Every worker counts its steps in its own element; main reads a result when its worker has made three.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int step[2];
static int result[2];

static void work(int me) {
    atomic_store(&step[me], 1);
    result[me] = me + 5;                        // no-race alarm(lockset): after step 3 the worker is done
    atomic_store(&step[me], 2);
    result[me] += 1;                            // no-race alarm(lockset): after step 3 the worker is done
    atomic_store(&step[me], 3);
}

static void *first(void *arg) {
    work(0);
    return arg;
}

static void *second(void *arg) {
    work(1);
    return arg;
}

int main(void) {
    pthread_t a, b;
    int sum = 0;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    if (atomic_load(&step[0]) == 3)
        sum += result[0];                       // no-race alarm(lockset): after step 3 the worker is done
    if (atomic_load(&step[1]) == 3)
        sum += result[1];                       // no-race alarm(lockset): after step 3 the worker is done
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return sum <= 13 ? 0 : 1;
}
