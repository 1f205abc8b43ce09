// A copy of the rest of a struct, from an array of characters on: the pointers behind it are copied too.
#include <pthread.h>
#include <stddef.h>
#include <string.h>

struct item {
    int id;
    char name[16];
    int *used;
    int *count;
};

static int one, other;
static struct item from, to;

static void *worker(void *arg) {
    *to.count = 1;                              // race
    return arg;
}

int main(void) {
    pthread_t t;
    to.count = &other;
    from.count = &one;
    memcpy(to.name, from.name, sizeof to - offsetof(struct item, name));
    pthread_create(&t, NULL, worker, NULL);
    one = 2;                                    // race
    pthread_join(t, NULL);
    return other;
}
