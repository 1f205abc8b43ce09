// A handler is registered before main begins.
#include <signal.h>

static int count, last;

static void on_signal(int number) {
    last = number;                              // race missed(explore): signals are not sent
    count++;                                    // race missed(explore): signals are not sent
}

__attribute__((constructor)) static void begin(void) {
    signal(SIGUSR1, on_signal);
}

int main(void) {
    count++;                                    // race missed(explore): signals are not sent
    return last;                                // race missed(explore): signals are not sent
}
