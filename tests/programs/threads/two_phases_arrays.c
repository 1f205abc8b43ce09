// Two fork-join rounds over the same array of ids; the second reads what the first wrote.
#include <pthread.h>

#define N 3
static int in[N], out[N];

static void *fill(void *arg) {
    long i = (long)arg;
    in[i] = (int)i;                             // no-race
    return NULL;
}

static void *sum(void *arg) {
    long i = (long)arg;
    for (int k = 0; k < N; k++)
        out[i] += in[k];                        // no-race
    return NULL;
}

static void round_of(void *(*start)(void *)) {
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, start, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
}

int main(void) {
    round_of(fill);
    round_of(sum);
    return out[0] == 3 && out[2] == 3 ? 0 : 1;  // no-race
}
