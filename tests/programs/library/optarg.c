// `optarg` points into one of the arguments that `getopt` was given: other strings are not concerned.
#include <pthread.h>
#include <unistd.h>

static char value[] = "value", other[] = "other", *arguments[] = {"program", "-a", value, NULL};

static void *worker(void *arg)
{
    optarg[0] = 'V'; // no-race alarm(explore): what getopt does to its arguments is not observed
    return arg;
}

int main(void)
{
    pthread_t id;
    if (getopt(3, arguments, "a:") != 'a')
        return 1;
    pthread_create(&id, NULL, worker, NULL);
    other[0] = 'O'; // no-race
    pthread_join(id, NULL);
    return value[0] == 'x';
}
