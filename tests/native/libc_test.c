/* libc_test.c: the replaced library functions over a core of stubs (see tests/unit/explore).
 *
 * Standard input is "12 abc\nline two\nrest". What the stubs are told is kept in `last`; ways that do not return come
 * back through `END`. Every check runs in two executions with a reset between them: the second sees what the first saw.
 */
#define _GNU_SOURCE
#include "libc.h"
#include "outside.h"
#include "rt.h"
#include "threads.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#define CHECK(condition)                                                                      \
    do {                                                                                      \
        if (!(condition)) {                                                                   \
            fprintf(stderr, "%s:%d: %s (last: %s %s)\n", __FILE__, __LINE__, #condition, last.kind, last.message); \
            exit(1);                                                                          \
        }                                                                                     \
    } while (0)

/* ---- the core */

static struct {
    char kind[32], message[256];
    int status, yields;
    uint64_t input;
    int bits, is_signed;
} last;
static int tid;
static uint64_t now_ns;
static jmp_buf end;
int rp_fork_mode;

#define END(statement) (setjmp(end) == 0 ? ((void)(statement), 0) : 1)

int rp_tid(void) { return tid; }
void rp_yield(void) { last.yields++; }
uint32_t rp_written(const void *address, uint64_t length) { return (void)address, (void)length, RP_NO_ACCESS; }
void rp_write_range(void *address, uint32_t access, uint64_t length) { (void)address, (void)access, (void)length; }
uint64_t rp_now(void) { return now_ns += 1000; }
void rp_sleep_for(uint64_t ns) { now_ns += ns; }
void rp_sleep_until(uint64_t ns) { now_ns = ns > now_ns ? ns : now_ns; }

static struct shared shared;
static struct thread only;
struct shared *G = &shared;
struct thread *self = &only;

void end_execution(enum cut cut) {
    snprintf(last.kind, sizeof last.kind, "cut %d", cut);
    longjmp(end, 1);
}

void yield_step(void) { last.yields++; }
bool signal_is_blocked(const struct thread *t, int number) { return (void)t, (void)number, false; }
bool is_child_process;
_Noreturn void child_dies(int number) { _exit(128 + number); }
bool signal_is_blocked_by_all(int number) { return (void)number, false; }
void signal_leave(struct thread *t, int number) { (void)t, (void)number; }
ssize_t outside_read(int fd, void *data, size_t length) { return read(fd, data, length); }
ssize_t outside_write(int fd, const void *data, size_t length) { return write(fd, data, length); }
void outside_until_readable(int fd) { (void)fd; }
int outside_select(int count, fd_set *reads, fd_set *writes, fd_set *errors, uint64_t ns) {
    struct timeval limit = {(time_t)(ns / 1000000000u), (suseconds_t)(ns % 1000000000u / 1000u)};
    return select(count, reads, writes, errors, &limit);
}
void thread_mask_begin(const sigset_t *mask) { (void)mask; }
void thread_mask_end(const sigset_t *mask) { (void)mask; }
int outside_poll(struct pollfd *waiters, unsigned long count, int milliseconds) {
    return poll(waiters, count, milliseconds);
}

void validity_fresh(const void *begin, size_t size) { (void)begin, (void)size; }
void validity_written(const void *begin, size_t size) { (void)begin, (void)size; }
void validity_copied(const void *to, const void *from, size_t size) { (void)to, (void)from, (void)size; }

void rp_fail(const char *kind, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    snprintf(last.kind, sizeof last.kind, "%s", kind);
    vsnprintf(last.message, sizeof last.message, format, arguments);
    va_end(arguments);
    if (strcmp(kind, "memory") != 0) longjmp(end, 1);
}

void rp_exit_program(int status) {
    last.status = status;
    libc_run_exit_handlers(status);
    longjmp(end, 1);
}

void rp_end_thread(void) {
    snprintf(last.kind, sizeof last.kind, "end of the thread");
    longjmp(end, 1);
}

void rp_assume_failed(void) {
    strcpy(last.kind, "assume");
    longjmp(end, 1);
}

uint64_t rp_choose_input(int bits, int is_signed, const char *type) {
    (void)type;
    last.bits = bits;
    last.is_signed = is_signed;
    return last.input;
}

static int failed_as(const char *kind) {
    int same = strcmp(last.kind, kind) == 0;
    last.kind[0] = '\0';
    return same;
}

static int wrote(const char *text) {
    size_t length;
    const char *output = libc_output(&length);
    int same = length == strlen(text) && memcmp(output, text, length) == 0;
    if (!same) fprintf(stderr, "wrote: %.*s\n", (int)length, output);
    libc_clear_output();
    return same;
}

/* ---- the functions under test, as the instrumented program calls them */

void *rp_lib_malloc(size_t), *rp_lib_calloc(size_t, size_t), *rp_lib_realloc(void *, size_t);
void *rp_lib_aligned_alloc(size_t, size_t), rp_lib_free(void *);
int rp_lib_posix_memalign(void **, size_t, size_t), rp_lib_asprintf(char **, const char *, ...);
size_t rp_lib_malloc_usable_size(void *);
char *rp_lib_strdup(const char *), *rp_lib_strtok(char *, const char *), *rp_lib_getcwd(char *, size_t);
wchar_t *rp_lib_wcsdup(const wchar_t *);
int rp_lib_printf(const char *, ...), rp_lib_fprintf(FILE *, const char *, ...), rp_lib_puts(const char *);
int rp_lib_putchar(int), rp_lib_fputs(const char *, FILE *), rp_lib_dprintf(int, const char *, ...);
int rp_lib_setvbuf(FILE *, char *, int, size_t), rp_lib_fclose(FILE *), rp_lib_close(int);
int rp_lib_wprintf(const wchar_t *, ...);
size_t rp_lib_fwrite(const void *, size_t, size_t, FILE *), rp_lib_fread(void *, size_t, size_t, FILE *);
ssize_t rp_lib_write(int, const void *, size_t), rp_lib_read(int, void *, size_t);
ssize_t rp_lib_getline(char **, size_t *, FILE *);
void rp_lib_perror(const char *), rp_lib_warnx(const char *, ...), rp_lib_errx(int, const char *, ...);
int rp_lib_getchar(void), rp_lib_ungetc(int, FILE *), rp_lib_feof(FILE *), rp_lib___isoc99_scanf(const char *, ...);
int rp_lib_fscanf(FILE *, const char *, ...);
char *rp_lib_fgets(char *, int, FILE *);
void rp_lib_exit(int), rp_lib__exit(int), rp_lib_quick_exit(int), rp_lib_abort(void);
void rp_lib___assert_fail(const char *, const char *, unsigned, const char *);
int rp_lib_atexit(void (*)(void)), rp_lib_on_exit(void (*)(int, void *), void *), rp_lib_at_quick_exit(void (*)(void));
int rp_lib_raise(int), rp_lib_kill(pid_t, int), rp_lib_getpid(void), rp_lib_gettid(void);
int rp_lib_rand(void), rp_lib_getentropy(void *, size_t);
void rp_lib_srand(unsigned), rp_lib_srand48(long);
double rp_lib_drand48(void);
long rp_lib_lrand48(void), rp_lib_mrand48(void), rp_lib_sysconf(int);
time_t rp_lib_time(time_t *);
unsigned rp_lib_sleep(unsigned);
int rp_lib_clock_gettime(clockid_t, struct timespec *), rp_lib_gettimeofday(struct timeval *, void *);
int rp_lib_nanosleep(const struct timespec *, struct timespec *);
int rp_lib_clock_nanosleep(clockid_t, int, const struct timespec *, struct timespec *);
int rp_lib_select(int, fd_set *, fd_set *, fd_set *, struct timeval *);
int rp_lib_getopt(int, char *const[], const char *);
int rp_lib___VERIFIER_nondet_int(void);
unsigned char rp_lib___VERIFIER_nondet_uchar(void);
bool rp_lib___VERIFIER_nondet_bool(void);
double rp_lib___VERIFIER_nondet_double(void);
void *rp_lib___VERIFIER_nondet_pointer(void);
void rp_lib_qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void rp_lib_qsort_r(void *, size_t, size_t, int (*)(const void *, const void *, void *), void *);
void rp_lib___VERIFIER_assume(int), rp_lib_reach_error(void);

/* ---- memory */

static void check_memory(void) {
    static void *first_seen;
    static int variable;
    char *p = rp_lib_malloc(100), *text;
    void *aligned;
    if (first_seen == NULL) first_seen = p;
    CHECK(p == first_seen && p[0] == 0 && p[99] == 0);
    memset(p, 7, 100);
    CHECK(rp_lib_malloc_usable_size(p) == 100);
    char *q = rp_lib_malloc(1);
    char *moved = rp_lib_realloc(p, 5000);
    CHECK(moved != p && moved[0] == 7 && moved[99] == 7 && moved[100] == 0);
    CHECK(rp_lib_realloc(NULL, 3) != NULL && rp_lib_realloc(q, 0) == NULL);
    CHECK(END(rp_lib_free(q)) && failed_as("double free"));
    CHECK(END(rp_lib_realloc(p, 9)) && failed_as("double free"));
    CHECK(END(rp_lib_free(moved + 16)) && failed_as("invalid free"));
    CHECK(END(rp_lib_free(&variable)) && failed_as("invalid free"));
    rp_lib_free(NULL);
    rp_lib_free(strdup("of the real library"));
    CHECK(rp_lib_calloc(SIZE_MAX / 2, 3) == NULL && errno == ENOMEM && failed_as(""));
    CHECK(rp_lib_malloc((size_t)5 << 30) == NULL && failed_as("memory"));
    CHECK((uintptr_t)rp_lib_aligned_alloc(256, 10) % 256 == 0);
    CHECK(rp_lib_posix_memalign(&aligned, 3, 10) == EINVAL && rp_lib_posix_memalign(&aligned, 64, 10) == 0);
    CHECK(strcmp(rp_lib_strdup("copy"), "copy") == 0 && wcscmp(rp_lib_wcsdup(L"wide"), L"wide") == 0);
    CHECK(rp_lib_asprintf(&text, "%d-%s", 42, "x") == 4 && strcmp(text, "42-x") == 0);
    CHECK(heap_find(text, NULL, NULL, NULL, NULL) == HEAP_LIVE);
    CHECK(heap_find(rp_lib_getcwd(NULL, 0), NULL, NULL, NULL, NULL) == HEAP_LIVE);
}

/* ---- output */

static void check_output(void) {
    int stored = 0;
    char long_text[70001];
    libc_capture = 0;
    CHECK(rp_lib_printf("%d%n!\n", 123, &stored) == 5 && stored == 3 && wrote(""));
    libc_capture = 1;
    CHECK(rp_lib_printf("%d %s\n", 5, "x") == 4 && rp_lib_printf("plain\n") == 6 && rp_lib_puts("put") >= 0);
    CHECK(rp_lib_fprintf(stderr, "<%c>", 'e') == 3 && rp_lib_putchar('c') == 'c' && rp_lib_fputs("s", stdout) >= 0);
    CHECK(rp_lib_fwrite("abcd", 2, 2, stdout) == 2 && rp_lib_write(2, "w", 1) == 1 && rp_lib_dprintf(1, "%d", 9) == 1);
    CHECK(wrote("5 x\nplain\nput\n<e>csabcdw9"));
    errno = ENOENT;
    rp_lib_perror("open");
    rp_lib_warnx("n %d", 1);
    CHECK(rp_lib_wprintf(L"%d%ls", 1, L"w") == 2);
    CHECK(wrote("open: No such file or directory\nprogram: n 1\n1w"));
    errno = 0;
    CHECK(rp_lib_write(77, "x", 1) == -1 && errno == EBADF); /* not one of the program's */
    CHECK(rp_lib_setvbuf(stdout, NULL, _IONBF, 0) == 0 && rp_lib_fclose(stdout) == 0 && rp_lib_close(1) == 0);
    memset(long_text, 'y', 70000);
    long_text[70000] = '\0';
    CHECK(rp_lib_printf("%s", long_text) == 70000 && rp_lib_puts("more") >= 0);
    long_text[65536] = '\0';
    CHECK(wrote(long_text));
}

/* ---- input */

static void check_input(void) {
    int number = 0;
    char word[10], line[64], *grown = NULL;
    size_t room = 0;
    CHECK(!rp_lib_feof(stdin) && rp_lib_getchar() == '1' && rp_lib_ungetc('4', stdin) == '4');
    CHECK(rp_lib___isoc99_scanf("%d %1s", &number, word) == 2 && number == 42 && strcmp(word, "a") == 0);
    CHECK(rp_lib_fscanf(stdin, "%d", &number) == 0); /* leaves "bc" */
    CHECK(rp_lib_fgets(line, sizeof line, stdin) == line && strcmp(line, "bc\n") == 0);
    CHECK(rp_lib_getline(&grown, &room, stdin) == 9 && strcmp(grown, "line two\n") == 0 && room >= 10);
    CHECK(heap_find(grown, NULL, NULL, NULL, NULL) == HEAP_LIVE);
    CHECK(rp_lib_read(0, line, 2) == 2 && rp_lib_fread(line + 2, 1, 60, stdin) == 2 && memcmp(line, "rest", 4) == 0);
    CHECK(rp_lib_feof(stdin) && rp_lib_getchar() == EOF && rp_lib_getline(&grown, &room, stdin) == -1);
}

/* ---- ends */

static void note_a(void) { strcat(last.message, "a"); }
static void note_b(void) {
    strcat(last.message, "b");
    rp_lib_atexit(note_a);
}
static void note_status(int status, void *text) { strcat(last.message, status == 3 ? text : "?"); }

static void check_ends(void) {
    last.message[0] = '\0';
    CHECK(rp_lib_atexit(note_a) == 0 && rp_lib_atexit(note_b) == 0 && rp_lib_on_exit(note_status, "s") == 0);
    CHECK(rp_lib_at_quick_exit(note_a) == 0);
    CHECK(END(rp_lib__exit(2)) && last.status == 2 && strcmp(last.message, "") == 0);
    CHECK(END(rp_lib_quick_exit(2)) && strcmp(last.message, "a") == 0);
    CHECK(END(rp_lib_exit(3)) && last.status == 3 && strcmp(last.message, "asbaa") == 0);
    CHECK(END(rp_lib_errx(9, "bad")) && last.status == 9);
    CHECK(END(rp_lib_abort()) && failed_as("abort"));
    CHECK(END(rp_lib___assert_fail("x > 0", "a.c", 7, "f")) && failed_as("assertion"));
    CHECK(strcmp(last.message, "a.c:7: f: assertion `x > 0' failed") == 0);
    CHECK(END(rp_lib_raise(SIGTERM)) && failed_as("signal"));
    CHECK(END(rp_lib_kill(rp_lib_getpid(), SIGABRT)) && failed_as("abort"));
    CHECK(END(rp_lib_kill(0, SIGKILL)) && failed_as("signal"));
    CHECK(rp_lib_raise(SIGCHLD) == 0 && rp_lib_kill(1, SIGTERM) == -1 && rp_lib_kill(-1, SIGTERM) == -1);
}

/* ---- numbers and time */

static void check_random(void) {
    unsigned char once[8], again[8];
    unsigned short of_thread;
    CHECK(rp_lib_rand() == 1804289383 && rp_lib_rand() == 846930886); /* glibc's for seed 1 */
    rp_lib_srand(42);
    CHECK(rp_lib_rand() == 71876166 && rp_lib_rand() == 708592740);
    CHECK(rp_lib_drand48() == 0xb / 281474976710656.0);
    rp_lib_srand48(7);
    srand48(7);
    for (int i = 0; i < 5; i++)
        CHECK(rp_lib_lrand48() == lrand48() && rp_lib_mrand48() == mrand48() && rp_lib_drand48() == drand48());
    tid = 1;
    int alone = rp_lib_rand();
    tid = 0;
    CHECK(rp_lib_rand() == 1483128881); /* the third for seed 42: thread 1 has not taken it */
    static int expected;
    if (expected == 0) expected = alone;
    CHECK(alone == expected);
    CHECK(rp_lib_getentropy(once, 8) == 0 && rp_lib_getentropy(again, 8) == 0 && memcmp(once, again, 8) != 0);
    static unsigned short seen;
    memcpy(&of_thread, once, sizeof of_thread);
    if (seen == 0) seen = of_thread;
    CHECK(seen == of_thread);
}

static void check_time(void) {
    struct timespec at, span = {2, 5}, bad = {0, -1};
    struct timeval day;
    now_ns = 0;
    CHECK(rp_lib_time(NULL) == 1577836800);
    last.yields = 0;
    CHECK(rp_lib_sleep(3) == 0 && rp_lib_nanosleep(&span, NULL) == 0 && last.yields == 2);
    CHECK(rp_lib_clock_gettime(CLOCK_REALTIME, &at) == 0 && at.tv_sec == 1577836805);
    CHECK(rp_lib_gettimeofday(&day, NULL) == 0 && day.tv_sec == 1577836805);
    CHECK(rp_lib_clock_gettime(CLOCK_MONOTONIC, &at) == 0 && at.tv_sec == 1005);
    at.tv_sec += 10;
    CHECK(rp_lib_clock_nanosleep(CLOCK_MONOTONIC, 1, &at, NULL) == 0);
    CHECK(rp_lib_clock_gettime(CLOCK_MONOTONIC, &at) == 0 && at.tv_sec == 1015);
    CHECK(rp_lib_nanosleep(&bad, NULL) == -1 && errno == EINVAL);
    day.tv_sec = 4;
    day.tv_usec = 0;
    CHECK(rp_lib_select(0, NULL, NULL, NULL, &day) == 0 && rp_lib_time(NULL) == 1577836819);
}

static void check_system(void) {
    char text[] = "a,b", name[] = "program", option[] = "-x", cluster[] = "-yz";
    char *arguments[] = {name, cluster, option, NULL};
    CHECK(rp_lib_strtok(NULL, ",") == NULL);
    CHECK(strcmp(rp_lib_strtok(text, ","), "a") == 0); /* left in the middle */
    tid = 2;
    CHECK(rp_lib_getpid() == PROGRAM_PID && rp_lib_gettid() == PROGRAM_PID + 2);
    tid = 0;
    CHECK(rp_lib_sysconf(_SC_NPROCESSORS_ONLN) == 4 && rp_lib_sysconf(_SC_PAGESIZE) == sysconf(_SC_PAGESIZE));
    CHECK(optind == 1 && rp_lib_getopt(3, arguments, "yxz") == 'y'); /* left in the middle of a cluster */
    libc_clear_output();
    arguments[1] = option;
    CHECK(rp_lib_getopt(3, arguments, "yx") == '?' && wrote("program: invalid option -- z\n"));
}

static void check_verifier(void) {
    last.input = (uint64_t)-5;
    CHECK(rp_lib___VERIFIER_nondet_int() == -5 && last.bits == 32 && last.is_signed);
    CHECK(rp_lib___VERIFIER_nondet_uchar() == 251 && last.bits == 8 && !last.is_signed);
    CHECK(rp_lib___VERIFIER_nondet_double() == -5.0);
    CHECK(heap_find(rp_lib___VERIFIER_nondet_pointer(), NULL, NULL, NULL, NULL) == HEAP_LIVE);
    last.input = 0;
    CHECK(!rp_lib___VERIFIER_nondet_bool() && last.bits == 1 && rp_lib___VERIFIER_nondet_pointer() == NULL);
    rp_lib___VERIFIER_assume(1);
    CHECK(END(rp_lib___VERIFIER_assume(0)) && failed_as("assume"));
    CHECK(END(rp_lib_reach_error()) && failed_as("reach_error"));
}

static int by_tens(const void *a, const void *b) { return *(const short *)a / 10 - *(const short *)b / 10; }

static int in_order(const void *a, const void *b, void *sign) {
    return (*(const short *)a - *(const short *)b) * *(int *)sign;
}

static void check_sort(void) {
    for (int count = 0; count < 3000; count = count * 3 / 2 + 1) {
        short *elements = rp_lib_malloc((size_t)count * 2), *expected = rp_lib_malloc((size_t)count * 2);
        int down = -1;
        for (int i = 0; i < count; i++) elements[i] = (short)(rp_lib_rand() % 500 * 10); /* tens, the same or not */
        for (int i = 0; i < count; i++) expected[i] = elements[i] = (short)(elements[i] + i % 10);
        for (int i = 1; i < count; i++) /* insertion sort: stable */
            for (int j = i; j > 0 && by_tens(&expected[j - 1], &expected[j]) > 0; j--) {
                short moved = expected[j];
                expected[j] = expected[j - 1];
                expected[j - 1] = moved;
            }
        size_t live = heap_live_bytes();
        rp_lib_qsort(elements, (size_t)count, 2, by_tens);
        CHECK(memcmp(elements, expected, (size_t)count * 2) == 0 && heap_live_bytes() == live);
        rp_lib_qsort_r(elements, (size_t)count, 2, in_order, &down);
        for (int i = 1; i < count; i++) CHECK(elements[i - 1] >= elements[i]);
    }
}

int main(void) {
    heap_init();
    libc_init();
    for (int execution = 0; execution < 3; execution++) {
        heap_reset();
        libc_reset();
        check_memory();
        check_output();
        check_input();
        check_ends();
        check_random();
        check_time();
        check_system();
        check_verifier();
        check_sort();
    }
    return 0;
}
