// The once-control is found through a pointer, which leads to another one after main has used it.
#include <pthread.h>
#include <stddef.h>

static pthread_once_t controls[3] = {PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT};
static pthread_once_t *control;
static int x;

static void initialise(void) {
    x = x + 1;                                  // race
}

static void use(void) {
    pthread_once(control, initialise);
}

static void *first(void *arg) {
    use();
    return arg;
}

static void *second(void *arg) {
    return x > 0 ? arg : NULL;                  // race
}

int main(int argc, char **argv) {
    pthread_t a, b;
    (void)argv;
    control = &controls[argc > 1];
    use();
    control = &controls[argc > 2 ? 0 : 2];
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
