// A string begins somewhere in the bytes of a structure: no array of it ends the string.
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
    char *bytes = (char *)&t;
    strcpy(bytes + offsetof(__typeof__(t), more), "12345"); // race
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
