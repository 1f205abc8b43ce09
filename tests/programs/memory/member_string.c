// Names in a table, each under the lock of its own element: a string ends within the array of its structure.
#include <pthread.h>
#include <string.h>
#include <stdlib.h>

struct entry {
    pthread_mutex_t lock;
    char user[32];
    int uses;
};
static struct entry tab[8];

static void *work(void *arg) {
    int i = *(int *)arg & 7;
    pthread_mutex_lock(&tab[i].lock);
    if (strcmp(tab[i].user, "root") == 0) // no-race
        tab[i].uses++; // no-race
    strcpy(tab[i].user, "x"); // no-race
    pthread_mutex_unlock(&tab[i].lock);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t a, b;
    int one = argc, two = atoi(argv[0]);
    for (int i = 0; i < 8; i++)
        pthread_mutex_init(&tab[i].lock, NULL);
    pthread_create(&a, NULL, work, &one);
    pthread_create(&b, NULL, work, &two);
    int i = argc & 7;
    pthread_mutex_lock(&tab[i].lock);
    strcpy(tab[i].user, argv[0]); // no-race
    tab[i].uses = 0; // no-race
    pthread_mutex_unlock(&tab[i].lock);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
