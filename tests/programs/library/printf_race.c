// printf reads a string and an integer that a thread changes.
#include <pthread.h>
#include <stdio.h>

static char name[8] = "none";
static int number;

static void *worker(void *arg) {
    name[0] = 'd';                              // race
    number = 1;                                 // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    printf("%s\n", name);                       // race
    printf("%d\n", number);                     // race
    pthread_join(t, NULL);
    return 0;
}
