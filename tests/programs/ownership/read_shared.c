// Written before the threads start, then only read by all of them.
#include <pthread.h>

#define N 3
static int table[8];
static const char *name;

static void *reader(void *arg) {
    int sum = 0;
    for (int i = 0; i < 8; i++)
        sum += table[i];                        // no-race
    return sum == 28 && name[0] == 'x' ? arg : NULL;  // no-race
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < 8; i++)
        table[i] = i;                           // no-race
    name = "x";                                 // no-race
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, reader, NULL);
    int first = table[1];                       // no-race
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return first == 1 ? 0 : 1;
}
