// uselocale is of a thread: the others keep the global one.
#include <locale.h>
#include <pthread.h>

static locale_t other;
static int x;

static void *changes(void *p) {
    uselocale(other);
    x = 1; // no-race alarm(lockset): values decide; alarm(explore): what newlocale makes is not observed
    return p;
}

static void *looks(void *p) {
    if (uselocale((locale_t)0) != LC_GLOBAL_LOCALE)
        x = 2; // no-race alarm(lockset): values decide
    return p;
}

int main(void) {
    pthread_t a, b;
    other = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    pthread_create(&a, 0, changes, 0);
    pthread_create(&b, 0, looks, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
