// One late write to data that the threads take for constant.
#include <pthread.h>

#define N 3
static int table[8];

static void *reader(void *arg) {
    int sum = 0;
    for (int i = 0; i < 8; i++)
        sum += table[i];                        // race
    return sum ? arg : NULL;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < 8; i++)
        table[i] = i;                           // no-race
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, reader, NULL);
    table[0] = 100;                             // race
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
