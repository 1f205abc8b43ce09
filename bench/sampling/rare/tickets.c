/* A ticket that is given back out of turn. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int next_ticket, served, cell;

static void *first(void *unused) {
    (void)unused;
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&m);
        int mine = next_ticket++;
        int is_mine = mine == served || mine == 4;
        if (is_mine) served++;
        pthread_mutex_unlock(&m);
        if (is_mine) cell = mine; // race
    }
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&m);
        int mine = next_ticket++;
        int is_mine = mine == 3;
        pthread_mutex_unlock(&m);
        if (is_mine) cell = mine; // race
    }
    return NULL;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
