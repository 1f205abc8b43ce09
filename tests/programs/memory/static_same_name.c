// Variables of the same name in different functions and scopes are different objects.
#include <pthread.h>

static int count_up(void) {
    static int count;
    return ++count;                             // no-race
}

static int count_down(void) {
    static int count;
    return --count;                             // no-race
}

static void *worker(void *arg) {
    int count = count_up(), inner;
    {
        static int count;
        count += 2;                             // no-race
        inner = count;                          // no-race
    }
    return count + inner == 3 ? arg : NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    int count = count_down();
    pthread_join(t, NULL);
    return count == -1 ? 0 : 1;
}
