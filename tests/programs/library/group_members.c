// getgrnam_r stores pointers into the buffer in the buffer: a member's name is read after the writer was joined
#include <grp.h>
#include <pthread.h>

static char buffer[4096];
static struct group entry;
static char first;

static void *clear(void *arg) {
    buffer[0] = 0; // no-race alarm(explore): there is no such group here
    return arg;
}

static void look(struct group *found) {
    if (found->gr_mem[0])
        first = found->gr_mem[0][0]; // no-race
}

int main(void) {
    struct group *found;
    pthread_t t;
    if (getgrnam_r("group of this test", &entry, buffer, sizeof buffer, &found) || !found)
        return 1;
    pthread_create(&t, 0, clear, 0);
    pthread_join(t, 0);
    look(found);
    return 0;
}
