/* A host for tests of the build: loads a program and prints each hook. Replaced functions just work. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t rp_site;
static char *tls_begin, *tls_end, tls[4096] __attribute__((aligned(64)));

#define ORDERED(name)                                                                                            \
    void name(void *a, uint32_t i, uint32_t n, uint32_t o) { printf(#name " %d %u %u at %u\n", (int)i, n, o, rp_site); }

void rp_read(void *a, uint32_t i, uint32_t n) { printf("read %u %u\n", i, n); }
void rp_write(void *a, uint32_t i, uint32_t n) { printf("write %u %u\n", i, n); }
void rp_read_range(void *a, uint32_t i, uint64_t n) { if (n) printf("read_range %u %u\n", i, (unsigned)n); }
void rp_write_range(void *a, uint32_t i, uint64_t n) { if (n) printf("write_range %u %u\n", i, (unsigned)n); }
void rp_read_string(char *s, uint32_t i) { if (s) printf("read_string %u %s\n", i, s); }
void rp_read_stopped(char *s, uint32_t i, uint32_t stop, char *other, uint64_t n, uint32_t site) {
    if (s) printf("read_stopped %u %s\n", i, s);
}
void rp_write_string(char *s, uint32_t i) { if (s) printf("write_string %u %s\n", i, s); }
void rp_free_access(void *a, uint32_t i) { printf("free %u\n", i); }
ORDERED(rp_atomic_load)
ORDERED(rp_atomic_store)
ORDERED(rp_atomic_rmw)
void rp_cas(void *a, uint32_t i, uint32_t n, uint32_t o, uint32_t f) { printf("cas %d %u %u %u\n", (int)i, n, o, f); }
void rp_cas_done(uint32_t s) { printf("cas_done %u\n", s); }
void rp_fence(uint32_t o) { printf("fence %u\n", o); }
void rp_enter(uint32_t s) { printf("enter\n"); }
void rp_leave(void) { printf("leave\n"); }
void rp_loop(uint32_t l) { printf("loop\n"); }
void rp_poll(void *a, uint32_t n) { printf("poll %u\n", n); }
void rp_spin(uint32_t l) { printf("spin\n"); *(int *)dlsym(RTLD_DEFAULT, "stub_flag") = 1; }
void rp_leave_loop(void) { printf("left\n"); }
void rp_carry(uint64_t v) { (void)v; }
void rp_round(void) {}
void rp_unseen(void) {}
void rp_outside(uint32_t how) { (void)how; }
int stub_flag;
void *rp_tls(char *image) { return tls + (image - tls_begin); }
int rp_lib_stub_replaced(int value) { printf("replaced %d\n", value); return value + 1; }

int main(int argc, char **argv) {
    setbuf(stdout, NULL);
    void *program = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (program == NULL) return printf("%s\n", dlerror()), 2;
    tls_begin = dlsym(program, "rp_tls_begin");
    tls_end = dlsym(program, "rp_tls_end");
    memcpy(tls, tls_begin, tls_end - tls_begin);
    printf("tls %d\n", (int)(tls_end - tls_begin));
    int n = 0;
    for (void **t = dlsym(program, "rp_tokens"); *t; t++) n++;
    printf("tokens %d\n", n);
    for (struct { void *address; char *name; uint64_t size; } *g = dlsym(program, "rp_globals"); g->name; g++)
        printf("global %s %u\n", g->name, (unsigned)g->size);
    int (*run)(int, char **, char **) = (int (*)(int, char **, char **))dlsym(program, "rp_program_main");
    printf("status %d\n", run(argc - 1, argv + 1, NULL));
    return 0;
}
