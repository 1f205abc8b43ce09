// %n in a wide format writes its argument: read without order.
#include <pthread.h>
#include <stdio.h>
#include <wchar.h>

static int count;

static void *print(void *arg) {
    wchar_t buffer[9];
    swprintf(buffer, 9, L"a%n", &count);        // race missed(explore): it does not follow %n
    return arg;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, print, NULL);
    int seen = count;                           // race missed(explore): likewise
    pthread_join(a, NULL);
    return seen == 9;
}
