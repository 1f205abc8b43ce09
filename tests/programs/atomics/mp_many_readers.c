// One producer, many readers that wait for the flag and then only read.
#include <pthread.h>
#include <stdatomic.h>

#define N 3
static atomic_int flag;
static int table[4];

static void *reader(void *arg) {
    int sum = 0;
    while (!atomic_load_explicit(&flag, memory_order_acquire))  // no-race
        ;
    for (int i = 0; i < 4; i++)
        sum += table[i];                        // no-race
    return sum == 6 ? arg : NULL;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, reader, NULL);
    for (int i = 0; i < 4; i++)
        table[i] = i;                           // no-race
    atomic_store_explicit(&flag, 1, memory_order_release);  // no-race
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
