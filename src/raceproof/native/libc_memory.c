/* libc_memory.c: malloc and the functions that return memory from it (talks to raceproof.explore; see libc.h). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "libc.h"
#include "load.h"
#include "program_types.h"
#include "validity.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

#ifdef __APPLE__
#include <malloc/malloc.h>
#define malloc_usable_size malloc_size
#else
#include <malloc.h>
#endif

enum { PAGE_ALIGNMENT = 4096 };

/* A size that no machine has is the program's own affair. Any other null pointer is due to a limit of ours (heap.c,
 * resources.c), and what the program does with it is not all that it may do. */
static void tell_no_memory(const char *what, size_t size) {
#if UINTPTR_MAX > UINT32_MAX
    const size_t address_space = (size_t)1 << 47;
#else
    const size_t address_space = PTRDIFF_MAX;
#endif
    if (size <= address_space) rp_fail("memory", "no memory for a %s of %zu bytes", what, size);
}

/* ---- blocks */

void *libc_alloc(size_t size, size_t align) {
    void *block = heap_alloc(rp_tid(), size, align);
    if (block == NULL) {
        tell_no_memory("block", size);
        errno = ENOMEM;
    }
    if (block != NULL) validity_written(block, size); /* of an earlier block there */
    return block;
}

/* What the program gets without a content. */
void *libc_alloc_fresh(size_t size, size_t align) {
    void *block = libc_alloc(size, align);
    if (block != NULL) validity_fresh(block, size);
    return block;
}

/* A pointer that is not from our heap came from a function of the real library, unless it points to a variable. */
static int is_variable(void *p) {
#ifdef RP_STATIC
    return rp_is_stack(p) || image_has(p);
#else
    Dl_info object;
    return (rp_is_stack && rp_is_stack(p)) || dladdr(p, &object) != 0;
#endif
}

static void fail_free(const char *function, void *p, int is_double) {
    int tid = 0, number = 0;
    if (is_double) {
        (void)heap_find(p, NULL, NULL, &tid, &number);
        rp_fail("double free", "%s(%p): heap block %d.%d was freed before", function, p, tid, number);
    } else if (heap_find(p, NULL, NULL, &tid, &number) != HEAP_NONE) {
        rp_fail("invalid free", "%s(%p): points into heap block %d.%d, not to its start", function, p, tid, number);
    } else {
        rp_fail("invalid free", "%s(%p): not a block of the heap", function, p);
    }
}

static void free_block(const char *function, void *p) {
    if (heap_contains(p)) {
        size_t size = 0;
        (void)heap_find(p, NULL, &size, NULL, NULL);
        int failed = heap_free(p);
        if (failed) fail_free(function, p, failed == 1);
        validity_fresh(p, size); /* who reads it now may find anything */
    } else if (is_variable(p)) {
        fail_free(function, p, 0);
    } else {
        free(p);
    }
}

static void *move_block(void *p, size_t old_size, size_t size) {
    void *moved = libc_alloc(size, 0);
    if (moved == NULL) return NULL;
    memcpy(moved, p, old_size < size ? old_size : size);
    validity_copied(moved, p, old_size < size ? old_size : size);
    if (size > old_size) validity_fresh((char *)moved + old_size, size - old_size);
    free_block("realloc", p);
    return moved;
}

void *libc_realloc(void *p, size_t size) {
    void *base;
    size_t old_size;
    if (p == NULL) return libc_alloc_fresh(size, 0);
    if (!heap_contains(p)) {
        if (!is_variable(p)) return realloc(p, size);
        fail_free("realloc", p, 0);
        return NULL;
    }
    enum heap_state state = heap_find(p, &base, &old_size, NULL, NULL);
    if (state != HEAP_LIVE || base != p) {
        fail_free("realloc", p, state == HEAP_FREED && base == p);
        return NULL;
    }
    if (!heap_resize(rp_tid(), p, size)) return move_block(p, old_size, size);
    if (size > old_size) validity_fresh((char *)p + old_size, size - old_size);
    return p;
}

/* glibc frees on realloc(p, 0), musl does not: as glibc, which most programs were written for. */
static void *realloc_or_free(void *p, size_t size) {
    if (p == NULL || size != 0) return libc_realloc(p, size);
    free_block("realloc", p);
    return NULL;
}

static int product(size_t count, size_t size, size_t *result) {
    if (!__builtin_mul_overflow(count, size, result)) return 1;
    errno = ENOMEM;
    return 0;
}

static int is_power_of_two(size_t n) { return n != 0 && (n & (n - 1)) == 0; }

RP_LIB void *rp_lib_malloc(size_t size) { return libc_alloc_fresh(size, 0); }

static void *alloc_array(size_t count, size_t size) {
    size_t bytes; /* our blocks are zero anyway */
    return product(count, size, &bytes) ? libc_alloc(bytes, 0) : NULL;
}

RP_LIB void *rp_lib_calloc(size_t count, size_t size) { return alloc_array(count, size); }

RP_LIB void *rp_lib_realloc(void *p, size_t size) { return realloc_or_free(p, size); }

RP_LIB void *rp_lib_reallocarray(void *p, size_t count, size_t size) {
    size_t bytes;
    return product(count, size, &bytes) ? realloc_or_free(p, bytes) : NULL;
}

RP_LIB void rp_lib_free(void *p) {
    if (p != NULL) free_block("free", p);
}

RP_LIB void rp_lib_cfree(void *p) {
    if (p != NULL) free_block("cfree", p);
}

RP_LIB void rp_lib_free_sized(void *p, size_t size) {
    (void)size;
    if (p != NULL) free_block("free_sized", p);
}

RP_LIB void rp_lib_free_aligned_sized(void *p, size_t align, size_t size) {
    (void)align, (void)size;
    if (p != NULL) free_block("free_aligned_sized", p);
}

static void *alloc_aligned(size_t align, size_t size) {
    if (is_power_of_two(align)) return libc_alloc_fresh(size, align);
    errno = EINVAL;
    return NULL;
}

RP_LIB void *rp_lib_aligned_alloc(size_t align, size_t size) { return alloc_aligned(align, size); }
RP_LIB void *rp_lib_memalign(size_t align, size_t size) { return alloc_aligned(align, size); }
RP_LIB void *rp_lib_valloc(size_t size) { return libc_alloc_fresh(size, PAGE_ALIGNMENT); }

RP_LIB void *rp_lib_pvalloc(size_t size) {
    size_t rounded = (size + PAGE_ALIGNMENT - 1) & ~(size_t)(PAGE_ALIGNMENT - 1);
    return libc_alloc_fresh(rounded < size ? size : rounded, PAGE_ALIGNMENT);
}

RP_LIB int rp_lib_posix_memalign(void **result, size_t align, size_t size) {
    if (!is_power_of_two(align) || align % sizeof(void *) != 0) return EINVAL;
    int before = errno; /* posix_memalign leaves it alone */
    void *block = libc_alloc_fresh(size, align);
    errno = before;
    if (block == NULL) return ENOMEM;
    *result = block;
    return 0;
}

RP_LIB size_t rp_lib_malloc_usable_size(void *p) {
    size_t size = 0;
    if (p == NULL) return 0;
    if (!heap_contains(p)) return malloc_usable_size(p);
    (void)heap_find(p, NULL, &size, NULL, NULL);
    return size;
}

RP_LIB int rp_lib_malloc_trim(size_t pad) {
    (void)pad;
    return 0;
}

RP_LIB int rp_lib_mallopt(int option, int value) {
    (void)option, (void)value;
    return 1;
}

/* glibc's own names for them */
RP_LIB void *rp_lib___libc_malloc(size_t size) { return libc_alloc_fresh(size, 0); }
RP_LIB void *rp_lib___libc_calloc(size_t count, size_t size) { return alloc_array(count, size); }
RP_LIB void *rp_lib___libc_realloc(void *p, size_t size) { return realloc_or_free(p, size); }
RP_LIB void *rp_lib___libc_memalign(size_t align, size_t size) { return alloc_aligned(align, size); }

RP_LIB void rp_lib___libc_free(void *p) {
    if (p != NULL) free_block("free", p);
}

/* ---- mappings: the system's own, which fail at our limit (resources.c) */

static void *mapped(void *address, size_t size) {
    if (address == MAP_FAILED && errno == ENOMEM) {
        tell_no_memory("mapping", size);
        errno = ENOMEM;
    }
    return address;
}

RP_LIB void *rp_lib_mmap(void *address, size_t size, int protection, int flags, int fd, program_offset offset) {
    return mapped(mmap(address, size, protection, flags, fd, offset), size);
}

RP_LIB void *rp_lib_mmap64(void *address, size_t size, int protection, int flags, int fd, int64_t offset) {
    return mapped(mmap(address, size, protection, flags, fd, (off_t)offset), size);
}

#ifdef __linux__
RP_LIB void *rp_lib_mremap(void *address, size_t old_size, size_t size, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    void *target = flags & MREMAP_FIXED ? va_arg(arguments, void *) : NULL;
    va_end(arguments);
    return mapped(mremap(address, old_size, size, flags, target), size);
}

RP_LIB void *rp_lib_sbrk(intptr_t step) { return mapped(sbrk(step), step < 0 ? 0 : (size_t)step); }
#endif

/* ---- new strings */

char *libc_copy_string(const char *text, size_t length) {
    char *copy = libc_alloc(length + 1, 0);
    if (copy == NULL) return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

RP_LIB char *rp_lib_strdup(const char *text) { return libc_copy_string(text, strlen(text)); }
RP_LIB char *rp_lib___strdup(const char *text) { return libc_copy_string(text, strlen(text)); }
RP_LIB char *rp_lib_strndup(const char *text, size_t n) { return libc_copy_string(text, strnlen(text, n)); }
RP_LIB char *rp_lib___strndup(const char *text, size_t n) { return libc_copy_string(text, strnlen(text, n)); }

RP_LIB wchar_t *rp_lib_wcsdup(const wchar_t *text) {
    size_t bytes = (wcslen(text) + 1) * sizeof *text;
    wchar_t *copy = libc_alloc(bytes, 0);
    if (copy != NULL) memcpy(copy, text, bytes);
    return copy;
}

static int format_new(char **result, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    *result = NULL;
    char *text = length < 0 ? NULL : libc_alloc((size_t)length + 1, 0);
    if (text == NULL) length = -1;
    else (void)vsnprintf(text, (size_t)length + 1, format, again);
    *result = text;
    va_end(again);
    return length;
}

RP_LIB int rp_lib_vasprintf(char **result, const char *format, va_list arguments) {
    return format_new(result, format, arguments);
}

RP_LIB int rp_lib_asprintf(char **result, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = format_new(result, format, arguments);
    va_end(arguments);
    return length;
}

RP_LIB int rp_lib___vasprintf_chk(char **result, int flag, const char *format, va_list arguments) {
    (void)flag;
    return format_new(result, format, arguments);
}

RP_LIB int rp_lib___asprintf_chk(char **result, int flag, const char *format, ...) {
    va_list arguments;
    (void)flag;
    va_start(arguments, format);
    int length = format_new(result, format, arguments);
    va_end(arguments);
    return length;
}

/* ---- paths */

static char *resolve(const char *path, char *resolved) {
    if (resolved != NULL) return realpath(path, resolved);
    char *found = realpath(path, NULL);
    if (found == NULL) return NULL;
    char *copy = libc_copy_string(found, strlen(found));
    free(found);
    return copy;
}

RP_LIB char *rp_lib_realpath(const char *path, char *resolved) { return resolve(path, resolved); }
RP_LIB char *rp_lib_canonicalize_file_name(const char *path) { return resolve(path, NULL); }

static char *current_directory(void) {
    static char path[PATH_MAX]; /* a fiber's stack is small */
    return getcwd(path, sizeof path) == NULL ? NULL : libc_copy_string(path, strlen(path));
}

RP_LIB char *rp_lib_getcwd(char *path, size_t size) { return path != NULL ? getcwd(path, size) : current_directory(); }
RP_LIB char *rp_lib_get_current_dir_name(void) { return current_directory(); }
