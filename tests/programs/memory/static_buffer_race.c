// A function returns its static buffer, the old way.
#include <pthread.h>

static char *name_of(int n) {
    static char buffer[4];
    buffer[0] = (char)('a' + n);                // race
    buffer[1] = '\0';                           // race
    return buffer;
}

static void *worker(void *arg) {
    char *name = name_of(1);
    return name[0] == 'b' ? arg : NULL;         // race
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    char *name = name_of(2);
    char first = name[0];                       // race
    pthread_join(t, NULL);
    return first != 0 ? 0 : 1;
}
