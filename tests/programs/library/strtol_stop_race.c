// strtol reads up to the end of the number; what is before is written.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char text[] = "12 defg";

static void *look(void *arg) {
    (void)strtol(text, NULL, 10);               // race
    return arg;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, look, NULL);
    text[1] = 'z';                              // race
    pthread_join(a, NULL);
    return 0;
}
