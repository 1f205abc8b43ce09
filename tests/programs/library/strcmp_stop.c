// strcmp reads up to the first difference; what is behind is written.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char text[] = "abcdefg";

static void *look(void *arg) {
    (void)!strcmp(text, "abx");                 // no-race alarm(lockset): it may read on; alarm(explore): likewise
    return arg;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, look, NULL);
    text[5] = 'z';                              // no-race alarm(lockset): it may read on; alarm(explore): likewise
    pthread_join(a, NULL);
    return 0;
}
