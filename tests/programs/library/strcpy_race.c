// strcpy into a shared string while another thread measures it.
#include <pthread.h>
#include <string.h>

static char text[64] = "start";

static void *writer(void *arg) {
    strcpy(text, "other");                      // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    size_t length = strlen(text);               // race
    pthread_join(t, NULL);
    return length == 5 ? 0 : 1;
}
