// Structs in an array, each of which begins with an array, written word by word.
#include <pthread.h>
#include <stddef.h>

struct part {
    int items[2];
    int limit;
};
static struct whole {
    int first;
    struct part parts[3];
} whole;

static void *cleaner(void *arg) {
    int *words = (int *)&whole.parts[1];
    for (size_t i = 0; i < sizeof(struct part) / sizeof(int); i++)
        words[i] = 0;                            // race
    return arg;
}

static void *reader(void *arg) {
    return whole.parts[1].limit == 0 ? NULL : arg;  // race
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, cleaner, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
