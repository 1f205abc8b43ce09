// Money moves between two accounts and a till; one side works when it has all but one.
#include <pthread.h>

#define TOTAL 3
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int till = TOTAL, left, right;
static int book;

static void *left_side(void *arg) {
    int all = 0;
    for (int i = 0; i < 3 && !all; i++) {
        pthread_mutex_lock(&m);
        if (till >= 1) {
            till -= 1;
            left += 1;
        }
        all = left >= TOTAL - 1;
        pthread_mutex_unlock(&m);
    }
    if (all)
        book = 1;                               // race
    return arg;
}

static void *right_side(void *arg) {
    int most = 0;
    for (int i = 0; i < 3 && !most; i++) {
        pthread_mutex_lock(&m);
        if (till >= 1) {
            till -= 1;
            right += 1;
        }
        most = right >= 1;
        pthread_mutex_unlock(&m);
    }
    if (most)
        book = 2;                               // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, left_side, NULL);
    pthread_create(&b, NULL, right_side, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return book > 0 ? 0 : 1;                    // no-race
}
