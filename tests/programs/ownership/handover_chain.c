// The object goes from one thread to the next through main's joins.
#include <pthread.h>
#include <stdlib.h>

static void *stage(void *arg) {
    int *p = arg;
    *p += 1;                                    // no-race
    return p;
}

int main(void) {
    void *p = calloc(1, sizeof(int));
    for (int i = 0; i < 3; i++) {
        pthread_t t;
        pthread_create(&t, NULL, stage, p);
        pthread_join(t, &p);
    }
    int result = *(int *)p;                     // no-race
    free(p);                                    // no-race
    return result == 3 ? 0 : 1;
}
