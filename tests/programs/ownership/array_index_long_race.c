// Each thread works on the element of its index, which was a long; what is left of it in a char is the same for all.
#include <pthread.h>

#define N 3
static int cell[N];

static void *worker(void *arg) {
    signed char i = (signed char)(long)arg;
    cell[i]++;                                  // race
    return NULL;
}

int main(void) {
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)(256 * i));
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return cell[0] == 3 ? 0 : 1;                // no-race
}
