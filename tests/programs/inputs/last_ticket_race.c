// The thread with the last of three tickets believes that the others have gone.
// The race needs: x = 1011: its digits add up to 3.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int tickets, board;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    int ticket = ++tickets;
    pthread_mutex_unlock(&m);
    if (ticket == *(int *)arg)
        board = ticket;                         // race missed(explore): it tries other values
    pthread_mutex_lock(&m);
    board++;                                    // race missed(explore): it tries other values
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t ids[3];
    int x = __VERIFIER_nondet_int();
    if (x < 1000 || x > 1999)
        return 0;
    int digits = x / 1000 + x / 100 % 10 + x / 10 % 10 + x % 10;
    int last = x % 100 == 11 && digits == 3 ? 3 : 4;
    for (int i = 0; i < 3; i++)
        pthread_create(&ids[i], NULL, worker, &last);
    for (int i = 0; i < 3; i++)
        pthread_join(ids[i], NULL);
    return 0;
}
