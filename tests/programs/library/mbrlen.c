// Each thread gives mbrlen a state of its own.
#include <pthread.h>
#include <stddef.h>
#include <wchar.h>

static size_t measured(const char *text) {
    mbstate_t state = {0};
    return mbrlen(text, 1, &state);             // no-race
}

static void *measures(void *arg) {
    return measured("a") == 1 ? arg : NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, measures, NULL);
    size_t length = measured("b");
    pthread_join(t, NULL);
    return length != 1;
}
