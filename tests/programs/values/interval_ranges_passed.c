// Two threads get their ranges in structs that main fills with constants.
#include <pthread.h>

struct range {
    int from, to;
};
static int cell[8];

static void fill(int from, int to, int value) {
    for (int i = from; i < to; i++)
        cell[i] = value;                        // no-race alarm(lockset): the ranges are apart
}

static void *front(void *arg) {
    struct range *r = arg;
    fill(r->from, r->to, 1);
    return NULL;
}

static void *back(void *arg) {
    struct range *r = arg;
    fill(r->from, r->to, 2);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    struct range first = {0, 3}, second = {3, 5};
    pthread_create(&a, NULL, front, &first);
    pthread_create(&b, NULL, back, &second);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return cell[2] == 1 && cell[3] == 2 ? 0 : 1; // no-race
}
