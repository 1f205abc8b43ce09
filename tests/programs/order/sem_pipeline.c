// A pipeline of three stages, each waits for the one before; the order is transitive.
#include <pthread.h>
#include <semaphore.h>

static sem_t parsed, checked;
static int text, tree, code;

static void *parse(void *arg) {
    text = 1;                                   // no-race
    tree = text + 1;                            // no-race
    sem_post(&parsed);
    return arg;
}

static void *check(void *arg) {
    sem_wait(&parsed);
    tree++;                                     // no-race
    sem_post(&checked);
    return arg;
}

static void *emit(void *arg) {
    sem_wait(&checked);
    code = tree + text;                         // no-race
    return arg;
}

int main(void) {
    pthread_t t[3];
    sem_init(&parsed, 0, 0);
    sem_init(&checked, 0, 0);
    pthread_create(&t[0], NULL, parse, NULL);
    pthread_create(&t[1], NULL, check, NULL);
    pthread_create(&t[2], NULL, emit, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return code == 4 ? 0 : 1;                   // no-race
}
