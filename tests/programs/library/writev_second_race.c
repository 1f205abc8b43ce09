// writev reads every buffer of its list, not only the first one.
#include <pthread.h>
#include <sys/uio.h>

static char first[4] = "one", second[4] = "two";

static void *sender(void *arg) {
    struct iovec list[2];
    list[0].iov_base = first;
    list[0].iov_len = 3;
    list[1].iov_base = second;
    list[1].iov_len = 3;
    writev(1, list, 2);  // race missed(explore): buffers behind a list of the program are not observed
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, sender, NULL);
    second[0] = 'T';  // race missed(explore): buffers behind a list of the program are not observed
    pthread_join(thread, NULL);
    return 0;
}
