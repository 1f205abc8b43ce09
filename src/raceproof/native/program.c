/* program.c: the shared object under test: loading it, and putting its memory back between executions; for
 * raceproof.explore. */

#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libc.h"
#include "load.h"
#include "program.h"
#include "sched.h"
#include "states.h"
#include "threads.h"

#define MAX_REGIONS 8
#define COPY_LIMIT (256u << 10) /* above, pages are dropped and come back from a file when they are touched */

struct region {
    char *address;
    size_t size;
    char *copy; /* or NULL: mapped from a file */
};

struct program program;
static struct region regions[MAX_REGIONS];
static int region_count;
static char *tls_blocks;
static size_t tls_size;
static char *argument_text;
static size_t argument_size;

_Noreturn void refuse_program(const char *why) {
    fprintf(stderr, "%s\n", why);
    exit(RP_REFUSED);
}

static void take_region(uintptr_t begin, uintptr_t end) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = begin & ~(page - 1), last = (end + page - 1) & ~(page - 1);
    if (region_count == MAX_REGIONS) refuse_program("too many segments");
    if (last - first > COPY_LIMIT) { /* else the exact bytes: most programs have a few hundred */
        begin = first;
        end = last;
    }
    regions[region_count++] = (struct region){.address = (char *)begin, .size = end - begin};
}

static void map_from_file(struct region *r) {
    int file = memfd_create("raceproof", 0);
    if (file < 0 || ftruncate(file, (off_t)r->size) != 0) refuse_program("no memory for a copy of its variables");
    /* Only pages that are not zero: a large array that nobody has touched stays without memory. */
    static const char zero[4096];
    for (size_t at = 0; at < r->size; at += sizeof zero)
        if (memcmp(r->address + at, zero, sizeof zero) != 0 &&
            pwrite(file, r->address + at, sizeof zero, (off_t)at) != (ssize_t)sizeof zero)
            refuse_program("no memory for a copy of its variables");
    if (mmap(r->address, r->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file, 0) == MAP_FAILED)
        refuse_program("no memory for its variables");
    close(file);
}

static void snapshot(void) {
    for (int i = 0; i < region_count; i++) {
        struct region *r = &regions[i];
        if (r->size > COPY_LIMIT) {
            map_from_file(r);
            continue;
        }
        r->copy = malloc(r->size);
        if (r->copy == NULL) refuse_program("no memory for a copy of its variables");
        memcpy(r->copy, r->address, r->size);
    }
}

static void keep_arguments(void) {
    size_t size = 0;
    for (int i = 0; i < options.argc; i++) size += strlen(options.argv[i]) + 1;
    size_t table = (size_t)(options.argc + 1) * sizeof(char *);
    argument_size = size;
    argument_text = malloc(size);
    program.argv = malloc(table + size);
    if (argument_text == NULL || program.argv == NULL) refuse_program("no memory for its arguments");
    char *at = argument_text;
    for (int i = 0; i < options.argc; i++) at = stpcpy(at, options.argv[i]) + 1;
}

void load_program(const char *path) {
    image_load(path);
    program.main = (int (*)(int, char **, char **))image_symbol("rp_program_main");
    program.destructors = image_symbol("rp_destructors");
    program.tokens = image_symbol("rp_tokens");
    program.globals = image_symbol("rp_globals");
    program.tls_begin = image_symbol("rp_tls_begin");
    program.tls_end = image_symbol("rp_tls_end");
    image_writable(take_region);
    snapshot();
    tls_size = (size_t)(program.tls_end - program.tls_begin + 63) & ~(size_t)63;
    if (tls_size > 0) {
        tls_blocks = mmap(NULL, tls_size * RP_MAX_THREADS, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (tls_blocks == MAP_FAILED) refuse_program("no memory for thread-local variables");
    }
    keep_arguments();
}

void reset_program(void) {
    for (int i = 0; i < region_count; i++) {
        struct region *r = &regions[i];
        if (r->copy != NULL)
            memcpy(r->address, r->copy, r->size);
        else if (!rp_fork_mode)
            madvise(r->address, r->size, MADV_DONTNEED);
    }
    char *text = (char *)(program.argv + options.argc + 1);
    memcpy(text, argument_text, argument_size);
    for (int i = 0; i < options.argc; i++) {
        program.argv[i] = text;
        text += strlen(text) + 1;
    }
    program.argv[options.argc] = NULL;
    threads_reset();
    semaphores_reset();
}

void thread_locals(struct thread *t) {
    if (tls_size == 0) return;
    t->tls = tls_blocks + tls_size * t->tid;
    memcpy(t->tls, program.tls_begin, (size_t)(program.tls_end - program.tls_begin));
}

void *tls_address(struct thread *t, void *image) { return t->tls + ((char *)image - program.tls_begin); }

extern char **environ;

void run_all(void (*const *functions)(void)) {
    for (; *functions != NULL; functions++) (*functions)();
}

/* Threads that outlive main may still look at its variables, as they would for a while in a real run: what ends the
 * program leaves so much of the stack alone. */
#define FRAME_OF_MAIN (2u << 20)

/* The frames of main lie below what `end_below_main` needs for itself. */
#define DISTANCE_OF_MAIN 1024

static __attribute__((noinline)) int call_main(void) {
    char distance[DISTANCE_OF_MAIN];
    __asm__ volatile("" : : "r"(distance) : "memory");
    int status = program.main(options.argc, program.argv, environ);
    __asm__ volatile("" : : "r"(distance) : "memory");
    return status;
}

static _Noreturn __attribute__((noinline)) void end_below_main(int status) {
    char left_alone[FRAME_OF_MAIN];
    __asm__ volatile("" : : "r"(left_alone) : "memory");
    rp_exit_program(status);
}

_Noreturn void run_program(void) {
    errno = 0;
    end_below_main(call_main());
}

/* ---- states: the program's variables and its arguments, and the variables of each thread */

static size_t table_of_arguments(void) { return (size_t)(options.argc + 1) * sizeof(char *) + argument_size; }

void program_keep(void) {
    for (int i = 0; i < region_count; i++) state_keep(regions[i].address, regions[i].size);
    for (uint32_t t = 0; t < G->paths && tls_size != 0; t++)
        if (threads[t].state != T_UNUSED) state_keep(threads[t].tls, tls_size);
    state_keep(program.argv, table_of_arguments());
}

void program_tell(void) {
    for (int i = 0; i < region_count; i++) state_tell(regions[i].address, regions[i].size);
    state_tell(program.argv, table_of_arguments());
}

void program_tell_local(const struct thread *t) {
    if (tls_size != 0) state_tell(t->tls, tls_size);
}

void program_locals_of(const struct thread *t, uintptr_t part[2]) {
    part[0] = (uintptr_t)t->tls;
    part[1] = part[0] + tls_size;
}

/* Or right behind them. */
bool program_is_local(const struct thread *t, uintptr_t at) { return tls_size != 0 && at - (uintptr_t)t->tls <= tls_size; }

/* Of variables that take more, a copy for each state would be too much. */
bool program_is_small(void) {
    for (int i = 0; i < region_count; i++)
        if (regions[i].size > COPY_LIMIT) return false;
    return true;
}
