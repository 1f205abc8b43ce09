// There is one hash table for all threads, and no lock in it.
#include <pthread.h>
#include <search.h>
#include <stddef.h>

static void *looks(void *arg) {
    ENTRY entry = {.key = "a", .data = NULL};
    return hsearch(entry, FIND) != NULL ? arg : NULL;  // race missed(explore): the library's own memory is not observed
}

int main(void) {
    pthread_t t;
    ENTRY entry = {.key = "b", .data = NULL};
    hcreate(4);
    pthread_create(&t, NULL, looks, NULL);
    hsearch(entry, ENTER);                      // race missed(explore): the same
    pthread_join(t, NULL);
    return 0;
}
