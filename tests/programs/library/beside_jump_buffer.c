// What lies behind an object of the library is not part of it, however large that type is on other machines.
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>

static struct {
    jmp_buf back;
    int x;
    struct sched_param order;
    int y;
    pthread_mutexattr_t kind;
    int z;
} s;

static void *uses(void *arg) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setschedparam(&attributes, &s.order); // no-race alarm(lockset): musl's has reserved fields
    pthread_mutexattr_init(&s.kind); // no-race alarm(lockset): eight bytes for all attributes
    if (!setjmp(s.back)) // no-race alarm(lockset): larger on aarch64
        longjmp(s.back, 1); // no-race alarm(lockset): larger on aarch64
    return arg;
}

static void *writes(void *arg) {
    s.x = 1; // no-race alarm(lockset): see above
    s.y = 2; // no-race alarm(lockset): see above
    s.z = 3; // no-race alarm(lockset): see above
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, uses, NULL);
    pthread_create(&b, NULL, writes, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
