// A pointer into an array has become one to bytes, which are moved on before the string is written.
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static struct {
    int flag;
    char name[8];
    int other;
} t;

static void *first(void *arg) {
    char *to = t.name;
    to -= offsetof(__typeof__(t), name);
    strcpy(to, "123"); // race
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
