/* A pointer to a table is kept when another one takes its place. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *table;
static int size;

static void *first(void *unused) {
    (void)unused;
    pthread_mutex_lock(&m);
    if (table == NULL) table = calloc(4, sizeof *table), size = 4;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    int *mine = table;
    pthread_mutex_unlock(&m);
    mine[0]++; // race
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    pthread_mutex_lock(&m);
    int *old = table;
    if (old != NULL) {
        table = calloc(8, sizeof *table);
        table[0] = old[0]; // race
        size = 8;
    }
    pthread_mutex_unlock(&m);
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
