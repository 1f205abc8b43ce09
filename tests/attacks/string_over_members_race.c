// A string is written through a pointer to the whole structure: it may reach to its end.
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static struct {
    char name[4];
    char more[4];
    int flag;
} t;

static void *first(void *arg) {
    strcpy((char *)&t, "12345678"); // race
    return NULL;
}

static void *second(void *arg) {
    t.flag = 1; // race
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
