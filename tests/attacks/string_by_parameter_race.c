// A function is given a pointer into a structure, from which on it writes all bytes.
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static struct {
    char name[4];
    int flag;
} t;
static void fill(char *to) {
    strcpy(to, "1234567"); // race
}

static void *first(void *arg) {
    fill((char *)&t);
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
