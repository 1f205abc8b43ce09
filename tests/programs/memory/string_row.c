// Rows of a matrix, each with a lock of its own: a string ends in its row.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char rows[4][8];
static pthread_mutex_t locks[4];

static void *work(void *arg) {
    int i = *(int *)arg & 3;
    pthread_mutex_lock(&locks[i]);
    strcpy(rows[i], "x"); // no-race
    pthread_mutex_unlock(&locks[i]);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t a, b;
    int one = argc, two = atoi(argv[0]);
    for (int i = 0; i < 4; i++)
        pthread_mutex_init(&locks[i], NULL);
    pthread_create(&a, NULL, work, &one);
    pthread_create(&b, NULL, work, &two);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
