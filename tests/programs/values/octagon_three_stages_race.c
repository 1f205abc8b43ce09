// Three stages go through an array; the last one follows the first instead of the second.
#include <pthread.h>
#include <stdatomic.h>

#define N 2
static atomic_int filled, doubled;
static int cell[N + 1];

static void *fill(void *arg) {
    for (int i = 0; i < N; i++) {
        cell[i] = i + 1;                        // no-race alarm(lockset): each stage is behind the one before it
        atomic_store(&filled, i + 1);
    }
    return arg;
}

static void *twice(void *arg) {
    int end = atomic_load(&filled);
    for (int i = 0; i < end; i++) {
        cell[i] *= 2;                           // race
        atomic_store(&doubled, i + 1);
    }
    return arg;
}

static void *add(void *arg) {
    int sum = 0, end = atomic_load(&filled);
    for (int i = 0; i < end; i++)
        sum += cell[i];                         // race
    return sum <= 6 ? arg : NULL;
}

int main(void) {
    pthread_t a, b, d;
    pthread_create(&a, NULL, fill, NULL);
    pthread_create(&b, NULL, twice, NULL);
    pthread_create(&d, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(d, NULL);
    return cell[N];                             // no-race
}
