// The buffers of sendmsg lie two pointers deep: in a list that the message points to.
#include <pthread.h>
#include <sys/socket.h>

static char text[4] = "one", other[4] = "two";

static void *sender(void *arg) {
    struct iovec list[2];
    struct msghdr message = {0};
    list[0].iov_base = other;
    list[0].iov_len = 3;
    list[1].iov_base = text;
    list[1].iov_len = 3;
    message.msg_iov = list;
    message.msg_iovlen = 2;
    sendmsg(-1, &message, 0);  // race missed(explore): buffers behind a list of the program are not observed
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, sender, NULL);
    text[0] = 'T';  // race missed(explore): buffers behind a list of the program are not observed
    pthread_join(thread, NULL);
    return 0;
}
