// At even counts the first player moves, and so does the second.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int moves;
static int board;

static void await(int parity) {
    pthread_mutex_lock(&m);
    while (moves % 2 != parity)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
}

static void done(void) {
    pthread_mutex_lock(&m);
    moves++;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
}

static void *white(void *arg) {
    for (int i = 0; i < 2; i++) {
        await(0);
        board += 1;                             // race
        done();
    }
    return arg;
}

static void *black(void *arg) {
    for (int i = 0; i < 2; i++) {
        await(0);
        board *= 3;                             // race
        done();
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, white, NULL);
    pthread_create(&b, NULL, black, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return board == 12 ? 0 : 1;                 // no-race
}
