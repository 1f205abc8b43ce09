// A string is written as one member of a union, and read as another.
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static struct {
    union {
        char name[8];
        struct {
            char first[4];
            int flag;
        } parts;
    } u;
    int other;
} t;

static void *first(void *arg) {
    strcpy(t.u.name, "1234567"); // race
    return NULL;
}

static void *second(void *arg) {
    t.u.parts.flag = 1; // race
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
