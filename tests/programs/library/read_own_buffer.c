// Threads read from files of their own into buffers of their own.
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static char buffers[2][8];

static void *worker(void *arg) {
    char *mine = arg;
    int fd = open("/dev/zero", O_RDONLY);
    ssize_t n = read(fd, mine, 8);              // no-race alarm(explore): the order of calls of the system is not tried
    close(fd);
    return n == 8 && mine[7] == 0 ? arg : NULL; // no-race
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, buffers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return buffers[0][0] + buffers[1][7];       // no-race
}
