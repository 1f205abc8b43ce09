// A table of commands that the linker puts together from a section; the commands do not lock.
#include <pthread.h>

struct command {
    void (*run)(void);
};

static int total;

static void add(void)
{
    total++; // race
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
