/* fiber.c: fibers, for raceproof.explore. On x86 a switch is a dozen instructions; elsewhere it is ucontext's. */

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
