// Both threads see that uselocale was called, each by itself.
#include <locale.h>
#include <pthread.h>

static locale_t other;
static int x;

static void *changes(void *p) {
    uselocale(other);
    x = 1; // race
    return p;
}

static void *looks(void *p) {
    uselocale(other);
    if (uselocale((locale_t)0) != LC_GLOBAL_LOCALE)
        x = 2; // race
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
