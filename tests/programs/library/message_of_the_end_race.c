// A thread ends the program with a message, which it reads while another one writes it.
#include <err.h>
#include <pthread.h>
#include <stddef.h>

static char message[8] = "none";

static void *reporter(void *arg) {
    errx(1, "%s", message);                     // race
    return arg;
}

static void *writer(void *arg) {
    message[0] = 'o';                           // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, reporter, NULL);
    pthread_create(&b, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
