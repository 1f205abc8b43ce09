// The readers wait for the flag, and then all of them write.
#include <pthread.h>
#include <stdatomic.h>

#define N 3
static atomic_int flag;
static int data;

static void *reader(void *arg) {
    while (!atomic_load_explicit(&flag, memory_order_acquire))  // no-race
        ;
    data++;                                     // race
    return arg;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, reader, NULL);
    data = 1;                                   // no-race
    atomic_store_explicit(&flag, 1, memory_order_release);  // no-race
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return data <= 4 ? 0 : 1;                   // no-race
}
