// %n in a wide format writes its argument: read after the join.
#include <pthread.h>
#include <stdio.h>
#include <wchar.h>

static int count;

static void *print(void *arg) {
    wchar_t buffer[9];
    swprintf(buffer, 9, L"a%n", &count);        // no-race
    return arg;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, print, NULL);
    pthread_join(a, NULL);
    int seen = count;                           // no-race alarm(explore): it does not follow %n
    return seen == 9;
}
