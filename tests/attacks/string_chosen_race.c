// It depends on a number in which of two arrays the string begins.
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static struct {
    char name[4];
    char more[8];
    int flag;
} t;
static int n;

static void *first(void *arg) {
    strcpy(n ? t.name : t.more, "123"); // race
    return NULL;
}

static void *second(void *arg) {
    t.more[1] = 1; // race
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
