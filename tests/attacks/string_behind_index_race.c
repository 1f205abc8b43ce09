// A string that begins in the middle of its array.
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static struct {
    char name[16];
    int flag;
} t;
static int n = 2;

static void *first(void *arg) {
    strcpy(&t.name[n], "123"); // race
    return NULL;
}

static void *second(void *arg) {
    t.name[4] = 1; // race
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
