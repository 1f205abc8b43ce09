/* Every construct of C that raceproof's front end must read: compiled by the tests, never run. */
#include <complex.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct node {
    int value;
    struct node *next;
    char tag[7];
} node_t;
typedef struct {
    unsigned a : 3, b : 5;
    int c : 20;
    long long d : 40;
} bits_t;
union any {
    int i;
    float f;
    char c[16];
    void *p;
};
struct open_array {
    int count;
    struct {
        short a, b;
    } items[];
};
struct old_open_array {
    int count;
    int items[1];
};
enum color { RED, GREEN = 5 };
struct packed {
    char c;
    unsigned i : 24;
    unsigned char s;
} __attribute__((packed));
struct big {
    int a[10];
    double d;
    node_t node;
    enum color color;
};
struct small {
    int a, b;
};
typedef int (*function)(int);
typedef float four_floats __attribute__((vector_size(16)));

static int increment(int x) { return x + 1; }
static int decrement(int x) { return x - 1; }
int aliased(int x) { return x; }
int alias(int) __attribute__((alias("aliased")));
int maybe(int) __attribute__((weak));

int numbers[10] = {1, 2, 3};
static function table[] = {increment, decrement, 0, increment};
static struct operation {
    const char *name;
    function f;
    void *data;
    long n;
} operations[2] = {{"inc", increment, &numbers[3], 7}, {"dec", decrement, (char *)numbers + 1, -1}};
_Thread_local int own = 3;
static _Thread_local node_t own_node;
extern int elsewhere;
extern _Thread_local int own_elsewhere;
const char *message = "hello\n\"x\"\\ \001";
char buffer[32] = "abc";
long double precise = 1.5L;
double _Complex plane;
_Bool flag = 1;
int cube[3][4][5];
node_t head = {1, &head, "xy"};
struct packed packed_value = {1, 2, 3};
bits_t bits = {1, 2, 3, 4};
union any any_value = {.f = 1.5f};
int repeated[5000] = {[0 ... 4999] = 7};
intptr_t as_number = (intptr_t)&numbers[2];
four_floats vector;
atomic_int counter;
_Atomic(void *) atomic_pointer;
_Atomic float atomic_float;
_Atomic struct small atomic_small;
_Atomic struct big atomic_big;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
volatile int watched;
struct big shared_big;
jmp_buf jump;

_Noreturn void die(void) { abort(); }

struct big change_big(struct big b, int i) {
    b.a[i] = 1;
    return b;
}
struct small change_small(struct small s) {
    s.a++;
    return s;
}
int pass_shared(void) { return change_big(shared_big, 3).a[0] + change_small((struct small){1, 2}).b; }

int variadic(int n, ...) {
    va_list list, copy;
    va_start(list, n);
    int sum = 0;
    for (int i = 0; i < n; i++) sum += va_arg(list, int);
    va_copy(copy, list);
    sum += (int)va_arg(copy, double) + va_arg(copy, struct small).a;
    va_end(copy);
    va_end(list);
    return sum;
}

int switches(int x) {
    static int calls;
    calls++;
    switch (x) {
    case 1: return 1;
    case 2 ... 5: x++; /* falls through */
    case -7: break;
    default: x--;
    }
    switch ((long long)x) {
    case 0x7fffffffffffffffLL: return 1;
    }
    return x;
}

int computed_goto(int x) {
    static void *labels[] = {&&first, &&second};
    goto *labels[x];
first:
    return 1;
second:
    x++;
    goto *labels[x % 2];
}

int jumps(void) {
    volatile int result = 0;
    if (setjmp(jump) == 0) {
        result = 1;
        longjmp(jump, 2);
    }
    return result;
}

void variable_length(int n, int m) {
    int a[n][m];
    a[n - 1][m - 1] = n;
    for (int i = 0; i < n; i++) a[i][0] = i;
    printf("%d\n", a[0][0]);
}

int atomics(int *p, long *q, atomic_int *r) {
    int e = 0;
    atomic_store_explicit(&counter, 1, memory_order_relaxed);
    atomic_store_explicit(&counter, 2, memory_order_release);
    atomic_store(&counter, 3);
    e += atomic_load_explicit(&counter, memory_order_relaxed) + atomic_load_explicit(&counter, memory_order_acquire);
    e += atomic_load_explicit(&counter, memory_order_consume) + atomic_load(&counter);
    atomic_fetch_add(&counter, 1);
    atomic_fetch_sub_explicit(&counter, 1, memory_order_acq_rel);
    atomic_fetch_and(&counter, 3);
    atomic_fetch_or(&counter, 3);
    atomic_fetch_xor(&counter, 3);
    atomic_exchange(&counter, 5);
    counter++;
    atomic_float += 1.0f;
    atomic_compare_exchange_strong(r, &e, 4);
    atomic_compare_exchange_weak_explicit(r, &e, 4, memory_order_release, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_seq_cst);
    __sync_fetch_and_add(p, 1);
    __sync_bool_compare_and_swap(q, 1, 2);
    __sync_synchronize();
    __sync_lock_test_and_set(p, 1);
    __sync_lock_release(p);
    __sync_fetch_and_nand(p, 1);
    __atomic_fetch_max(p, 3, __ATOMIC_RELAXED);
    __atomic_fetch_min((unsigned *)p, 3, __ATOMIC_RELAXED);
    __atomic_load_n(p, *p);
    atomic_flag once = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&once)) {
    }
    atomic_store(&atomic_pointer, atomic_load(&atomic_pointer));
    atomic_small = atomic_small;
    atomic_big = atomic_big;
    return *(volatile int *)p;
}

double complex_numbers(double _Complex z) {
    plane = z * z + 1.0 * I;
    return creal(plane) + cimag(plane);
}
float vectors(four_floats a, four_floats b, int i) {
    four_floats c = a + b * a;
    c[i] = 3.0f;
    vector = __builtin_shufflevector(a, c, 0, 5, 2, 7);
    return c[0] + (a < b)[1];
}
long double floats(long double x, float f) {
    f = -f;
    if (f < x) f = (float)x;
    return x * 2 + precise + (unsigned)f + __builtin_fabs(f);
}
int barriers(void) {
    int x = 3;
    __asm__ volatile("" ::: "memory");
    __asm__ volatile("" : "+r"(x));
    return x;
}
int bit_fields(bits_t *b) {
    b->a = 3;
    b->c += 2;
    b->d = b->a;
    packed_value.i++;
    return bits.b++;
}
int unions(union any *p) {
    p->i = 1;
    return p->c[3] + (int)any_value.f;
}
int open_arrays(struct open_array *f, struct old_open_array *o, int i) {
    f->items[i].b = 1;
    o->items[i] = 3;
    return cube[i][2][i + 1];
}
int literals(void) {
    struct small *p = &(struct small){1, 2};
    return p->a + (int[]){1, 2, 3}[1] + _Generic(p, struct small * : 1, default : 2);
}
int pointers(int *p, char *q, node_t *n) {
    int *r = p + 3;
    r[-1] = 2;
    n[2].tag[3] = *q;
    for (; n; n = n->next) n->value++;
    return (int)(r - p) + (p == 0) + (q > (char *)p);
}
int thread_locals(void) {
    own_node.value = own_elsewhere;
    return own++ + elsewhere;
}
int logic(int a, int b, unsigned c) {
    int r;
    if (__builtin_add_overflow(a, b, &r) || __builtin_expect(a, 0)) return 0;
    return ((a && b) || !c ? a / b % 7 : (int)(c >> 3) ^ (a << 2) | ~b) + ({ int t = a; t * 2; }) + (a ?: 3);
}
int calls(int i, struct operation *o) {
    if (maybe) return maybe(i);
    return table[i](i) + o->f(3) + operations[i].f(1) + ((int (*)())table[1])(4) + alias(2);
}
void copies(struct big *a, struct big *b) {
    *a = *b;
    memset(a, 0, sizeof *a);
    memmove(a, b, 20);
    head = (node_t){1};
    void *p = __builtin_alloca(a->a[0]);
    memcpy(p, b, 4);
}
int dead_code(int x) {
    return x;
    x++;
again:
    goto again;
}
void *worker(void *argument) {
    pthread_mutex_lock(&mutex);
    numbers[1]++;
    watched++;
    pthread_mutex_unlock(&mutex);
    return argument;
}
int main(int argc, char **argv) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, worker, &numbers[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    if (argc > 9) die();
    exit(printf("%s %d %f\n", argv[0], argc, 1.5));
}
