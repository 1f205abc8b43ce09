// A table of commands that the linker puts together from a section; the commands lock.
#include <pthread.h>

struct command {
    void (*run)(void);
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void add(void)
{
    pthread_mutex_lock(&lock);
    total++; // no-race
    pthread_mutex_unlock(&lock);
}

static const struct command add_command __attribute__((section("commands"), used)) = {add};
extern const struct command __start_commands[], __stop_commands[];

static void *run_all(void *arg)
{
    for (const struct command *c = __start_commands; c < __stop_commands; c++)
        c->run();
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, run_all, 0);
    run_all(0);
    pthread_join(thread, 0);
    return 0;
}
