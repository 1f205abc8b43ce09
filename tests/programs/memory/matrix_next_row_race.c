// From one row of a matrix to the next, as images are read: a constant number of elements further on.
#include <pthread.h>

enum { WIDTH = 4 };
static struct {
    int height;
    int pixel[3][WIDTH];
} image;

static void *worker(void *arg) {
    int *here = &image.pixel[1][*(int *)arg];
    here[WIDTH] = 1;                            // race
    here[-WIDTH] = 1;                           // race
    int *first = image.pixel[0];
    first[WIDTH + 1] = 1;                       // race
    return arg;
}

int main(void) {
    pthread_t t;
    int column = 1;
    pthread_create(&t, NULL, worker, &column);
    image.pixel[2][1] = 2;                      // race
    image.pixel[0][1] = 2;                      // race
    image.pixel[1][1] = 2;                      // race
    pthread_join(t, NULL);
    return image.height;
}
