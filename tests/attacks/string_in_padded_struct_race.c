// The last array of a structure may be longer than it says, here the one of a structure at the end of another.
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct name {
    int length;
    char text[1];
};
struct entry {
    int number;
    struct name name;
};
static struct entry *t;

static void *first(void *arg) {
    strcpy(t->name.text, "some text that is longer"); // race
    return NULL;
}

static void *second(void *arg) {
    char *text = t->name.text;
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
