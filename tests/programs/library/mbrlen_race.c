// Without a state of the caller's, mbrlen uses one of its own, which it need not guard (C11 7.29.6.3).
#include <pthread.h>
#include <stddef.h>
#include <wchar.h>

static void *measures(void *arg) {
    return mbrlen("a", 1, NULL) == 1 ? arg : NULL;  // race missed(explore): the library's own memory is not observed
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, measures, NULL);
    size_t length = mbrlen("b", 1, NULL);       // race missed(explore): the same
    pthread_join(t, NULL);
    return length != 1;
}
