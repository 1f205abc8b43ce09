// The thread returns a heap object that main uses and frees after the join.
#include <pthread.h>
#include <stdlib.h>

struct result {
    int sum;
};

static void *worker(void *arg) {
    struct result *r = malloc(sizeof *r);
    r->sum = 0;                                 // no-race
    for (long i = 0; i <= (long)arg; i++)
        r->sum += (int)i;                       // no-race
    return r;
}

int main(void) {
    pthread_t t[3];
    int total = 0;
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 3; i++) {
        void *p;
        pthread_join(t[i], &p);
        struct result *r = p;
        total += r->sum;                        // no-race
        free(r);                                // no-race
    }
    return total == 4 ? 0 : 1;
}
