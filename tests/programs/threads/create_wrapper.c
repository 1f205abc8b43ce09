// A wrapper creates the thread, through a trampoline and a heap block with function and argument.
#include <pthread.h>
#include <stdlib.h>

struct task {
    void (*run)(int *);
    int *data;
};

static int x, y;

static void add_one(int *p) {
    *p += 1;                                    // no-race alarm(lockset): contents of task objects are not told apart
}

static void *trampoline(void *arg) {
    struct task *t = arg;
    t->run(t->data);                            // no-race
    free(t);                                    // no-race
    return NULL;
}

static pthread_t spawn(void (*run)(int *), int *data) {
    pthread_t id;
    struct task *t = malloc(sizeof *t);
    t->run = run;                               // no-race
    t->data = data;                             // no-race
    pthread_create(&id, NULL, trampoline, t);
    return id;
}

int main(void) {
    pthread_t a = spawn(add_one, &x);
    pthread_t b = spawn(add_one, &y);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return x == 1 && y == 1 ? 0 : 1;            // no-race
}
