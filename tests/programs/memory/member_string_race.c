// Names in a table, with the lock of the next element: strings of one element are not apart from themselves.
#include <pthread.h>
#include <string.h>

struct entry {
    pthread_mutex_t lock;
    char user[32];
    int uses;
};
static struct entry tab[8];

static void *work(void *arg) {
    int i = *(int *)arg & 3;
    pthread_mutex_lock(&tab[i + i].lock);
    strcpy(tab[i + 1].user, "x"); // race
    pthread_mutex_unlock(&tab[i + i].lock);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t a, b;
    int one = argc;
    int two = argc;
    for (int i = 0; i < 8; i++)
        pthread_mutex_init(&tab[i].lock, NULL);
    pthread_create(&a, NULL, work, &one);
    pthread_create(&b, NULL, work, &two);
    strcpy(tab[(argc & 3) + 1].user, argv[0]); // race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
