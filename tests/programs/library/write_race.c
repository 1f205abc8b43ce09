// write sends a buffer to a file while another thread fills it.
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static char buffer[8];

static void *worker(void *arg) {
    buffer[2] = 'x';                            // race
    return arg;
}

int main(void) {
    pthread_t t;
    int fd = open("/dev/null", O_WRONLY);
    pthread_create(&t, NULL, worker, NULL);
    ssize_t n = write(fd, buffer, sizeof buffer);  // race
    pthread_join(t, NULL);
    close(fd);
    return n == 8 ? 0 : 1;
}
