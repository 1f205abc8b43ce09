/* libraries.c: shared objects without sources that the program is linked with, for raceproof.explore.
 *
 * They run as they are. Where they call a function of the C library that the runtime has of its own, they get that one,
 * as the program does: their locks and conditions order threads, their threads are threads of the program, their memory
 * is of the same heap. For that the loader's tables of imported functions are overwritten, of each shared object but the
 * host's own. What a library does with atomics, with inlined system calls or within its constructors is not seen:
 * explore/outside.py takes all calls of unknown functions to be ordered one behind the other.
 */
#ifndef RP_STATIC

#define _GNU_SOURCE
#include "libraries.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libc.h"
#include "load.h"
#include "report.h"

#ifdef __linux__

#define MAX_LIBRARIES 128
#define LONGEST_NAME 200

/* ---- which ones */

/* The C library calls itself, and the host is the runtime. */
static bool is_of_the_host(const char *path) {
    static const char *const names[] = {"libc.so", "libm.so", "libdl.so", "librt.so", "libpthread.so", "ld-linux", "ld64.so",
                                        "linux-vdso", "libgcc_s.so", "libresolv.so", "libutil.so"};
    const char *last = strrchr(path, '/');
    last = last != NULL ? last + 1 : path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(last, names[i], strlen(names[i])) == 0) return true;
    return *path == 0 || strncmp(last, "libnss_", 7) == 0;
}

void libraries_load(void) {
    for (uint32_t i = 0; i < options.library_count; i++)
        if (dlopen(options.libraries[i], RTLD_NOW | RTLD_GLOBAL) == NULL) refuse_program(dlerror());
}

/* ---- what they call */

void *libraries_dlopen(const char *path, int how);

static void *replacement_of(const char *name) {
    char ours[LONGEST_NAME];
    if (strcmp(name, "dlopen") == 0) return (void *)libraries_dlopen;
    int length = snprintf(ours, sizeof ours, "rp_lib_%s", name);
    return length > 0 && length < (int)sizeof ours ? dlsym(RTLD_DEFAULT, ours) : NULL;
}

struct tables {
    const ElfW(Sym) *symbols;
    const char *names;
    const ElfW(Rela) *functions, *others;
    size_t functions_size, others_size;
};

static struct tables tables_of(const struct dl_phdr_info *info) {
    struct tables found = {0};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        for (const ElfW(Dyn) *d = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr); d->d_tag != DT_NULL; d++) {
            switch (d->d_tag) { /* glibc has made addresses of these */
            case DT_SYMTAB: found.symbols = (const void *)d->d_un.d_ptr; break;
            case DT_STRTAB: found.names = (const void *)d->d_un.d_ptr; break;
            case DT_JMPREL: found.functions = (const void *)d->d_un.d_ptr; break;
            case DT_PLTRELSZ: found.functions_size = d->d_un.d_val; break;
            case DT_RELA: found.others = (const void *)d->d_un.d_ptr; break;
            case DT_RELASZ: found.others_size = d->d_un.d_val; break;
            default: break;
            }
        }
    }
    return found;
}

#if defined(__x86_64__)
#define IS_FUNCTION_SLOT(type) ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT || (type) == R_X86_64_64)
#define SYMBOL_OF(r) ELF64_R_SYM((r)->r_info)
#define TYPE_OF(r) ELF64_R_TYPE((r)->r_info)
#elif defined(__aarch64__)
#define IS_FUNCTION_SLOT(type) ((type) == R_AARCH64_JUMP_SLOT || (type) == R_AARCH64_GLOB_DAT || (type) == R_AARCH64_ABS64)
#define SYMBOL_OF(r) ELF64_R_SYM((r)->r_info)
#define TYPE_OF(r) ELF64_R_TYPE((r)->r_info)
#else
#define IS_FUNCTION_SLOT(type) 0
#define SYMBOL_OF(r) 0
#define TYPE_OF(r) 0
#endif

static void set_slot(uintptr_t slot, void *function) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = slot & ~(page - 1);
    if (mprotect((void *)begin, page, PROT_READ | PROT_WRITE) != 0) refuse_program("the tables of a library are read-only");
    *(void **)slot = function;
}

static void redirect(const struct dl_phdr_info *info, const struct tables *t, const ElfW(Rela) *list, size_t size) {
    for (size_t i = 0; i < size / sizeof *list; i++) {
        if (!IS_FUNCTION_SLOT(TYPE_OF(&list[i])) || SYMBOL_OF(&list[i]) == 0) continue;
        const ElfW(Sym) *symbol = &t->symbols[SYMBOL_OF(&list[i])];
        if (symbol->st_shndx != SHN_UNDEF) continue; /* its own: it has not asked the C library */
        void *ours = replacement_of(t->names + symbol->st_name);
        if (ours != NULL) set_slot(info->dlpi_addr + list[i].r_offset, ours);
    }
}

/* ---- thread-local variables: a copy for each thread of the program, which is put in place while it runs */

static struct local {
    uintptr_t base;
    const char *image;
    size_t filled, size;
    char *at; /* where the one thread that the system knows has them */
} locals[MAX_LIBRARIES];
static uint32_t local_count;
static size_t locals_size;
static char *copies[RP_MAX_THREADS];

extern void *__tls_get_addr(size_t *index);

static void note_locals(const struct dl_phdr_info *info) {
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_TLS || header->p_memsz == 0) continue;
        size_t index[2] = {info->dlpi_tls_modid, 0};
        char *at = info->dlpi_tls_data != NULL ? info->dlpi_tls_data : __tls_get_addr(index); /* made when it is asked for */
        if (local_count == MAX_LIBRARIES) refuse_program("too many libraries with thread-local variables");
        locals[local_count++] = (struct local){info->dlpi_addr, (const char *)(info->dlpi_addr + header->p_vaddr),
                                               header->p_filesz, header->p_memsz, at};
        locals_size += header->p_memsz;
    }
}

void libraries_start(struct thread *t) {
    if (local_count == 0 || self == NULL) return;
    if (copies[t->tid] == NULL) copies[t->tid] = malloc(locals_size);
    char *at = copies[t->tid];
    if (at == NULL) refuse_program("no memory for thread-local variables");
    for (uint32_t i = 0; i < local_count; at += locals[i++].size) {
        memcpy(at, locals[i].image, locals[i].filled);
        memset(at + locals[i].filled, 0, locals[i].size - locals[i].filled);
    }
}

void libraries_switch(struct thread *from, struct thread *to) {
    if (local_count == 0) return;
    if (copies[from->tid] == NULL) copies[from->tid] = malloc(locals_size);
    char *old = copies[from->tid], *new = copies[to->tid];
    if (old == NULL) refuse_program("no memory for thread-local variables");
    for (uint32_t i = 0; i < local_count; i++) {
        memcpy(old, locals[i].at, locals[i].size);
        if (new != NULL) memcpy(locals[i].at, new, locals[i].size);
        old += locals[i].size;
        if (new != NULL) new += locals[i].size;
    }
}

/* ---- all of them */

static uintptr_t seen[MAX_LIBRARIES];
static uint32_t seen_count;

static bool is_new(uintptr_t base) {
    for (uint32_t i = 0; i < seen_count; i++)
        if (seen[i] == base) return false;
    if (seen_count == MAX_LIBRARIES) refuse_program("too many libraries");
    seen[seen_count++] = base;
    return true;
}

static int use(struct dl_phdr_info *info, size_t size, void *program) {
    (void)size;
    if (is_of_the_host(info->dlpi_name) || info->dlpi_addr == *(uintptr_t *)program || !is_new(info->dlpi_addr)) return 0;
    struct tables t = tables_of(info);
    if (t.symbols == NULL || t.names == NULL) return 0;
    redirect(info, &t, t.functions, t.functions_size);
    redirect(info, &t, t.others, t.others_size);
    note_locals(info);
    return 0;
}

static uintptr_t program_base;

void libraries_use(void) {
    if (options.library_count == 0) return;
    program_base = image_base();
    dl_iterate_phdr(use, &program_base);
}

/* Of a library: what it loads now is one, too. Its thread-local variables are shared by all threads: that is told. */
void *libraries_dlopen(const char *path, int how) {
    uint32_t before = local_count;
    void *handle = dlopen(path, how | RTLD_NOW);
    dl_iterate_phdr(use, &program_base);
    if (local_count != before) {
        local_count = before;
        report_bounded("a library loads another one with thread-local variables, which all threads then share", NONE);
    }
    return handle;
}

#else

void libraries_load(void) {
    if (options.library_count > 0) refuse_program("libraries without sources are run on Linux only");
}
void libraries_use(void) {}
void libraries_start(struct thread *t) { (void)t; }
void libraries_switch(struct thread *from, struct thread *to) { (void)from, (void)to; }

#endif
#else

#include "libraries.h"
#include "load.h"

/* Of 32-bit programs and on targets there is no loader of the system's. */
void libraries_load(void) {
    if (options.library_count > 0) refuse_program("libraries without sources are run with programs of this machine only");
}
void libraries_use(void) {}
void libraries_start(struct thread *t) { (void)t; }
void libraries_switch(struct thread *from, struct thread *to) { (void)from, (void)to; }

#endif
