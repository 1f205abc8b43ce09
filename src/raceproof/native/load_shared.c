/* load_shared.c: the program under test as a shared object that the system's loader loads; for raceproof.explore. */
#ifndef RP_STATIC

#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#include "libraries.h"
#include "load.h"

#define LIBM "libm.so.6"

static void *handle;
static void (*taker)(uintptr_t begin, uintptr_t end);

void image_load(const char *path) {
    libraries_load();
    dlopen(LIBM, RTLD_NOW | RTLD_GLOBAL); /* `sin` and the like: the host does not use it, and so does not have it */
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) refuse_program(dlerror());
    libraries_use();
}

uintptr_t image_base(void) {
    struct link_map *map;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) refuse_program(dlerror());
    return map->l_addr;
}

void *image_symbol(const char *name) {
    void *address = dlsym(handle, name);
    if (address == NULL) refuse_program(dlerror());
    return address;
}

static int take_segments(struct dl_phdr_info *info, size_t size, void *path) {
    (void)size;
    if (strcmp(info->dlpi_name, path) != 0) return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD || !(header->p_flags & PF_W)) continue;
        uintptr_t begin = info->dlpi_addr + header->p_vaddr;
        taker(begin, begin + header->p_memsz);
    }
    return 1;
}

void image_writable(void (*take)(uintptr_t begin, uintptr_t end)) {
    struct link_map *map;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) refuse_program(dlerror());
    taker = take;
    dl_iterate_phdr(take_segments, map->l_name);
}

#endif
