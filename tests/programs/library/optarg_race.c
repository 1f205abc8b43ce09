// `optarg` points into one of the arguments that `getopt` was given.
#include <pthread.h>
#include <unistd.h>

static char value[] = "value", *arguments[] = {"program", "-a", value, NULL};

static void *worker(void *arg)
{
    optarg[0] = 'V'; // race
    return arg;
}

int main(void)
{
    pthread_t id;
    if (getopt(3, arguments, "a:") != 'a')
        return 1;
    pthread_create(&id, NULL, worker, NULL);
    int first = value[0]; // race
    pthread_join(id, NULL);
    return first == 'x';
}
