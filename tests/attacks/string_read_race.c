// A string that is read as far as it goes, while another thread writes its last byte.
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    char name[16];
    int flag;
};
static struct entry t[4] = {{"0123456789", 1}};
static size_t length;
static int n;

static void *first(void *arg) {
    length = strlen(t[n].name); // race
    return NULL;
}

static void *second(void *arg) {
    t[n].name[5] = 'x'; // race
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
