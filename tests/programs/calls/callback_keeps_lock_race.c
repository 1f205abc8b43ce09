// The function that compares locks the first element that it gets, and keeps that lock for all others.
#include <pthread.h>
#include <stdlib.h>

struct element {
    pthread_mutex_t m;
    int data;
};

static struct element elements[3] = {{PTHREAD_MUTEX_INITIALIZER, 0}, {PTHREAD_MUTEX_INITIALIZER, 0}, {PTHREAD_MUTEX_INITIALIZER, 0}};
static int is_locked;

static int compare(const void *key, const void *found) {
    struct element *e = (struct element *)found;
    (void)key;
    if (!is_locked) {
        pthread_mutex_lock(&e->m);
        is_locked = 1;
    }
    e->data++;                                  // race
    return 1;
}

static void *worker(void *arg) {
    struct element *e = arg;
    pthread_mutex_lock(&e->m);
    e->data++;                                  // race
    pthread_mutex_unlock(&e->m);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t t;
    int key = argc;
    (void)argv;
    is_locked = 0;
    pthread_create(&t, NULL, worker, &elements[argc > 1 ? 1 : 2]);
    bsearch(&key, elements, 3, sizeof elements[0], compare);
    return 0;
}
