// A function changes the local variable that says how many threads there are.
#include <pthread.h>

static pthread_t ids[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum;
extern _Bool __VERIFIER_nondet_bool(void);

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    sum++;                                      // race
    pthread_mutex_unlock(&m);
    return arg;
}

static void read_number(int *number) {
    *number = __VERIFIER_nondet_bool();
}

int main(void) {
    int number;
    read_number(&number);
    for (int i = 0; i < number; i++)
        pthread_create(&ids[i], NULL, worker, NULL);
    read_number(&number);
    for (int i = 0; i < number; i++)
        pthread_join(ids[i], NULL);
    return sum;                                 // race
}
