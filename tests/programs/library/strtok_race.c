// strtok keeps its place in a hidden static variable, also for different strings.
#include <pthread.h>
#include <string.h>

static void *worker(void *arg) {
    char mine[] = "a b c";
    int words = 0;
    for (char *p = strtok(mine, " "); p != NULL; p = strtok(NULL, " "))  // race missed(explore): the library's own variable is not watched
        words++;
    return words ? arg : NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
