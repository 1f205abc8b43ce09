// strcmp reads up to the first difference; what is before is written.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char text[] = "abcdefg";

static void *look(void *arg) {
    (void)!strcmp(text, "abx");                 // race
    return arg;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, look, NULL);
    text[2] = 'z';                              // race
    pthread_join(a, NULL);
    return 0;
}
