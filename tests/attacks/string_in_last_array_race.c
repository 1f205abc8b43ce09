// The last array of a structure may be longer than it says, also where the compiler pads behind it.
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct __attribute__((aligned(16))) text {
    int length;
    char text[1];
};
static struct text *t;

static void *first(void *arg) {
    strcpy(t->text, "some text that is longer"); // race
    return NULL;
}

static void *second(void *arg) {
    char *text = t->text;
    text[20] = 0; // race
    return NULL;
}

int main(void) {
    pthread_t a, b;
    t = malloc(64);
    if (t == NULL)
        return 1;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
