/* A server: a thread for each connection counts it and answers with the number. */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int hits;

static void *answer(void *argument)
{
    int connection = (int)(intptr_t)argument;
    char text[32];
    pthread_mutex_lock(&lock);
    hits++;
    pthread_mutex_unlock(&lock);
    int length = snprintf(text, sizeof text, "%d\n", hits);
    write(connection, text, length);
    close(connection);
    return NULL;
}

int main(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(8080)};
    int listening = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listening, (struct sockaddr *)&address, sizeof address) != 0 || listen(listening, 5) != 0)
        return 1;
    for (;;) {
        int connection = accept(listening, NULL, NULL);
        if (connection < 0)
            break;
        pthread_t thread;
        if (pthread_create(&thread, NULL, answer, (void *)(intptr_t)connection) == 0)
            pthread_detach(thread);
    }
    return 0;
}
