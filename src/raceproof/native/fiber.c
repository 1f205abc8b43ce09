/* fiber.c: fibers, for raceproof.explore. A switch is a few instructions on x86, aarch64, arm and
 * riscv64; elsewhere it is ucontext's, which musl does not have. */

#define _GNU_SOURCE
#include "fiber.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef WITH_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

void fiber_stack(struct fiber *fiber) {
    if (fiber->stack != NULL) return;
    char *memory = mmap(NULL, STACK_SIZE + GUARD_SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, GUARD_SIZE, PROT_NONE) != 0) {
        perror("raceproof: no memory for a stack");
        exit(4);
    }
    /* The tops of all stacks lie at different places of their pages: otherwise they would share a few lines of the
     * cache. */
    static uint32_t stacks;
    fiber->stack = memory + GUARD_SIZE;
    fiber->stack_size = STACK_SIZE - (size_t)(stacks++ % 16) * 256;
}

bool fiber_in_guard(const struct fiber *fiber, uintptr_t address) {
    uintptr_t base = (uintptr_t)fiber->stack;
    return fiber->stack != NULL && address >= base - GUARD_SIZE && address < base;
}

#ifdef WITH_ASAN
static struct fiber *left; /* where the last switch came from */
static void (*first)(void);

/* The sanitizer knows the bounds of the stack that was left: those of the search's own come from nobody else. */
static void arrived(void *fake) {
    const void *bottom;
    size_t size;
    __sanitizer_finish_switch_fiber(fake, &bottom, &size);
    if (left->stack != NULL) return;
    left->stack = (void *)(uintptr_t)bottom;
    left->stack_size = size;
}

static void begin(void) {
    arrived(NULL);
    first();
}

/* The function to begin with; what an execution that was given up has left on the stack is no longer there. */
static void (*entered(struct fiber *fiber, void (*entry)(void)))(void) {
    ASAN_UNPOISON_MEMORY_REGION(fiber->stack, fiber->stack_size);
    first = entry; /* the same for all */
    return begin;
}
#else
static inline void (*entered(struct fiber *fiber, void (*entry)(void)))(void) {
    (void)fiber;
    return entry;
}
#endif

#ifdef FIBERS_OF_X86

/* Saves what the ABI says a callee must keep, swaps stacks, restores. It leaves by a jump: a return would be guessed
 * wrong, because the processor expects it to go back on the stack that it has left. */
__asm__(".text\n"
        ".p2align 4\n"
        ".hidden rp_switch\n"
        ".globl rp_switch\n"
        ".type rp_switch,@function\n"
        "rp_switch:\n"
#ifdef __x86_64__
        "  pushq %rbp\n"
        "  pushq %rbx\n"
        "  pushq %r12\n"
        "  pushq %r13\n"
        "  pushq %r14\n"
        "  pushq %r15\n"
        "  movq %rsp, (%rdi)\n"
        "  movq (%rsi), %rsp\n"
        "  popq %r15\n"
        "  popq %r14\n"
        "  popq %r13\n"
        "  popq %r12\n"
        "  popq %rbx\n"
        "  popq %rbp\n"
        "  popq %rcx\n"
        "  jmpq *%rcx\n"
#else
        "  movl 4(%esp), %eax\n"
        "  movl 8(%esp), %edx\n"
        "  pushl %ebp\n"
        "  pushl %ebx\n"
        "  pushl %esi\n"
        "  pushl %edi\n"
        "  movl %esp, (%eax)\n"
        "  movl (%edx), %esp\n"
        "  popl %edi\n"
        "  popl %esi\n"
        "  popl %ebx\n"
        "  popl %ebp\n"
        "  popl %ecx\n"
        "  jmpl *%ecx\n"
#endif
        ".size rp_switch, .-rp_switch\n"
        ".section .note.GNU-stack,\"\",@progbits\n"
        ".text\n");
#ifdef __x86_64__
#define KEPT_REGISTERS 6
#else
#define KEPT_REGISTERS 4
#endif

void fp_set(const struct fp_environment *now, const struct fp_environment *fp) {
    if (now->x87_status != fp->x87_status) {
        struct { uint32_t control, status, others[5]; } x87;
        __asm__ volatile("fnstenv %0" : "=m"(x87)); /* masks all exceptions: fldenv puts the control word back */
        x87.status = (x87.status & ~X87_EXCEPTIONS) | fp->x87_status;
        x87.control = (x87.control & 0xffff0000u) | fp->x87_control;
        __asm__ volatile("fldenv %0" : : "m"(x87));
    } else if (now->x87_control != fp->x87_control) {
        __asm__ volatile("fldcw %0" : : "m"(fp->x87_control));
    }
    if (now->mxcsr != fp->mxcsr) __asm__ volatile("ldmxcsr %0" : : "m"(fp->mxcsr));
}

void fiber_make(struct fiber *fiber, void (*entry)(void), bool is_first) {
    /* As if `entry` had been called: the stack is one word below a multiple of 16, a null return address on top. */
    void **top = (void **)((char *)fiber->stack + fiber->stack_size - 64);
    *--top = NULL;
    *--top = (void *)entered(fiber, entry);
    for (int i = 0; i < KEPT_REGISTERS; i++) *--top = NULL;
    fiber->sp = top;
    if (options.fp_unseen) return;
    if (is_first)
        fiber->fp = (struct fp_environment){.mxcsr = 0x1f80, .x87_control = 0x37f};
    else
        fp_read(&fiber->fp);
}

#elif defined(FIBERS_OF_OTHERS)

/* Saves what the ABI says a callee must keep, and the floating-point environment, swaps stacks, restores. FRAME words
 * are on the stack; at RETURN is where to go on, at FP_BEGIN the environment. */
#if defined(__aarch64__)
enum { FRAME = 22, RETURN = 11, FP_BEGIN = 20 };
__asm__(".text\n"
        ".p2align 4\n"
        ".hidden rp_switch\n"
        ".globl rp_switch\n"
        ".type rp_switch,%function\n"
        "rp_switch:\n"
        "  sub sp, sp, #176\n"
        "  stp x19, x20, [sp, #0]\n"
        "  stp x21, x22, [sp, #16]\n"
        "  stp x23, x24, [sp, #32]\n"
        "  stp x25, x26, [sp, #48]\n"
        "  stp x27, x28, [sp, #64]\n"
        "  stp x29, x30, [sp, #80]\n"
        "  stp d8, d9, [sp, #96]\n"
        "  stp d10, d11, [sp, #112]\n"
        "  stp d12, d13, [sp, #128]\n"
        "  stp d14, d15, [sp, #144]\n"
        "  mrs x9, fpcr\n"
        "  mrs x10, fpsr\n"
        "  stp x9, x10, [sp, #160]\n"
        "  mov x9, sp\n"
        "  str x9, [x0]\n"
        "  ldr x9, [x1]\n"
        "  mov sp, x9\n"
        "  ldp x9, x10, [sp, #160]\n"
        "  msr fpcr, x9\n"
        "  msr fpsr, x10\n"
        "  ldp x19, x20, [sp, #0]\n"
        "  ldp x21, x22, [sp, #16]\n"
        "  ldp x23, x24, [sp, #32]\n"
        "  ldp x25, x26, [sp, #48]\n"
        "  ldp x27, x28, [sp, #64]\n"
        "  ldp x29, x30, [sp, #80]\n"
        "  ldp d8, d9, [sp, #96]\n"
        "  ldp d10, d11, [sp, #112]\n"
        "  ldp d12, d13, [sp, #128]\n"
        "  ldp d14, d15, [sp, #144]\n"
        "  add sp, sp, #176\n"
        "  br x30\n"
        ".size rp_switch, .-rp_switch\n");

static void fp_now(uintptr_t *words) {
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(words[0]), "=r"(words[1]));
}
#elif defined(__arm__)
enum { FRAME = 28, RETURN = 27, FP_BEGIN = 0 };
__asm__(".text\n"
        ".arm\n"
        ".p2align 2\n"
        ".hidden rp_switch\n"
        ".globl rp_switch\n"
        ".type rp_switch,%function\n"
        "rp_switch:\n"
        "  push {r3-r11, lr}\n" /* r3 for the alignment */
        "  vpush {d8-d15}\n"
        "  vmrs r2, fpscr\n"
        "  push {r2, r3}\n"
        "  str sp, [r0]\n"
        "  ldr sp, [r1]\n"
        "  pop {r2, r3}\n"
        "  vmsr fpscr, r2\n"
        "  vpop {d8-d15}\n"
        "  pop {r3-r11, lr}\n"
        "  bx lr\n"
        ".size rp_switch, .-rp_switch\n");

static void fp_now(uintptr_t *words) { __asm__ volatile("vmrs %0, fpscr" : "=r"(words[0])); }
#else
enum { FRAME = 26, RETURN = 12, FP_BEGIN = 25 };
#define KEPT(move, floating)                                                                                           \
    move " s0, 0(sp)\n" move " s1, 8(sp)\n" move " s2, 16(sp)\n" move " s3, 24(sp)\n" move " s4, 32(sp)\n"             \
    move " s5, 40(sp)\n" move " s6, 48(sp)\n" move " s7, 56(sp)\n" move " s8, 64(sp)\n" move " s9, 72(sp)\n"           \
    move " s10, 80(sp)\n" move " s11, 88(sp)\n" move " ra, 96(sp)\n" floating " fs0, 104(sp)\n"                       \
    floating " fs1, 112(sp)\n" floating " fs2, 120(sp)\n" floating " fs3, 128(sp)\n" floating " fs4, 136(sp)\n"       \
    floating " fs5, 144(sp)\n" floating " fs6, 152(sp)\n" floating " fs7, 160(sp)\n" floating " fs8, 168(sp)\n"       \
    floating " fs9, 176(sp)\n" floating " fs10, 184(sp)\n" floating " fs11, 192(sp)\n"
__asm__(".text\n"
        ".p2align 2\n"
        ".hidden rp_switch\n"
        ".globl rp_switch\n"
        ".type rp_switch,%function\n"
        "rp_switch:\n"
        "  addi sp, sp, -208\n"
        KEPT("sd", "fsd")
        "  frcsr t0\n"
        "  sd t0, 200(sp)\n"
        "  sd sp, 0(a0)\n"
        "  ld sp, 0(a1)\n"
        "  ld t0, 200(sp)\n"
        "  fscsr t0\n"
        KEPT("ld", "fld")
        "  addi sp, sp, 208\n"
        "  jr ra\n"
        ".size rp_switch, .-rp_switch\n");

static void fp_now(uintptr_t *words) { __asm__ volatile("frcsr %0" : "=r"(words[0])); }
#endif

void fiber_make(struct fiber *fiber, void (*entry)(void), bool is_first) {
    uintptr_t *frame = (uintptr_t *)((char *)fiber->stack + fiber->stack_size - 64) - FRAME;
    memset(frame, 0, FRAME * sizeof *frame); /* also a new process's floating-point environment */
    frame[RETURN] = (uintptr_t)entered(fiber, entry);
    if (!is_first) fp_now(frame + FP_BEGIN);
    fiber->sp = frame;
}

#else

#include <ucontext.h>

/* Of the floating-point environment ucontext takes care. */
void fiber_make(struct fiber *fiber, void (*entry)(void), bool is_first) {
    (void)is_first;
    if (fiber->context == NULL) fiber->context = calloc(1, sizeof(ucontext_t));
    ucontext_t *context = fiber->context;
    getcontext(context);
    context->uc_stack.ss_sp = fiber->stack;
    context->uc_stack.ss_size = fiber->stack_size;
    context->uc_link = NULL;
    makecontext(context, entered(fiber, entry), 0);
}

void fiber_swap(struct fiber *from, struct fiber *to) {
    if (from->context == NULL) from->context = calloc(1, sizeof(ucontext_t));
    swapcontext(from->context, to->context);
}

#endif

#ifdef WITH_ASAN
void fiber_switch(struct fiber *from, struct fiber *to) {
    void *fake;
    left = from;
    __sanitizer_start_switch_fiber(&fake, to->stack, to->stack_size);
    fiber_swap(from, to);
    arrived(fake);
}
#endif
