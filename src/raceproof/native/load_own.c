/* load_own.c: loads a program under test into a runtime that has its C library in it; for raceproof.explore.
 *
 * That is so for 32-bit programs, for which no library can be expected on the user's machine, and on every target. A
 * program that is linked like that cannot ask the system to load another. A shared object that needs nothing but the
 * runtime is easily loaded: map its segments, and fill in the addresses that it asks for. Those that the runtime gives
 * are in `rp_symbols`, which explore/build.py writes; explore/library32.py says which functions of the C library are in it.
 */
#ifdef RP_STATIC

#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "load.h"

#define MAX_SEGMENTS 16

/* ELF as the machine has it, and its relocations. */
#if UINTPTR_MAX > UINT32_MAX
typedef Elf64_Ehdr elf_header;
typedef Elf64_Phdr elf_segment;
typedef Elf64_Sym elf_symbol;
typedef Elf64_Dyn elf_entry;
typedef Elf64_Rela elf_row; /* says what is added */
#define RELOCATIONS DT_RELA
#define RELOCATION_BYTES DT_RELASZ
#define ROW_SYMBOL(row) ELF64_R_SYM((row).r_info)
#define ROW_TYPE(row) ELF64_R_TYPE((row).r_info)
#define ADDEND(row, place) ((void)(place), (uintptr_t)(row).r_addend)
#define SYMBOL_BIND(symbol) ELF64_ST_BIND((symbol)->st_info)
#else
typedef Elf32_Ehdr elf_header;
typedef Elf32_Phdr elf_segment;
typedef Elf32_Sym elf_symbol;
typedef Elf32_Dyn elf_entry;
typedef Elf32_Rel elf_row; /* what is added is in its place already */
#define RELOCATIONS DT_REL
#define RELOCATION_BYTES DT_RELSZ
#define ROW_SYMBOL(row) ELF32_R_SYM((row).r_info)
#define ROW_TYPE(row) ELF32_R_TYPE((row).r_info)
#define ADDEND(row, place) ((void)(row), *(place))
#define SYMBOL_BIND(symbol) ELF32_ST_BIND((symbol)->st_info)
#endif

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64, TO_BASE = R_X86_64_RELATIVE, TO_GLOBAL = R_X86_64_GLOB_DAT, TO_SLOT = R_X86_64_JUMP_SLOT,
       TO_SYMBOL = R_X86_64_64, TO_DISTANCE = -1 };
#elif defined(__i386__)
enum { MACHINE = EM_386, TO_BASE = R_386_RELATIVE, TO_GLOBAL = R_386_GLOB_DAT, TO_SLOT = R_386_JMP_SLOT,
       TO_SYMBOL = R_386_32, TO_DISTANCE = R_386_PC32 };
#elif defined(__aarch64__)
enum { MACHINE = EM_AARCH64, TO_BASE = R_AARCH64_RELATIVE, TO_GLOBAL = R_AARCH64_GLOB_DAT,
       TO_SLOT = R_AARCH64_JUMP_SLOT, TO_SYMBOL = R_AARCH64_ABS64, TO_DISTANCE = -1 };
#elif defined(__arm__)
enum { MACHINE = EM_ARM, TO_BASE = R_ARM_RELATIVE, TO_GLOBAL = R_ARM_GLOB_DAT, TO_SLOT = R_ARM_JUMP_SLOT,
       TO_SYMBOL = R_ARM_ABS32, TO_DISTANCE = R_ARM_REL32 };
#elif defined(__riscv)
enum { MACHINE = EM_RISCV, TO_BASE = R_RISCV_RELATIVE, TO_GLOBAL = -2, TO_SLOT = R_RISCV_JUMP_SLOT,
       TO_SYMBOL = R_RISCV_64, TO_DISTANCE = -1 };
#else
#error "which relocations has this machine?"
#endif

struct symbol { const char *name; void *address; };
extern const struct symbol rp_symbols[]; /* by name */
extern const uint32_t rp_symbol_count;
extern char __executable_start[], end[]; /* of the host: the linker's names */

static uintptr_t base, image_end;
static size_t page_size;
static elf_segment segments[MAX_SEGMENTS];
static int segment_count;
static const elf_symbol *symbols;
static const char *names;
static uint32_t symbol_count;

static uintptr_t page_of(uintptr_t address) { return address & ~(uintptr_t)(page_size - 1); }
static uintptr_t next_page(uintptr_t address) { return page_of(address + page_size - 1); }

/* ---- segments */

static void read_at(int file, void *into, size_t size, off_t offset) {
    if (pread(file, into, size, offset) != (ssize_t)size) refuse_program("the shared object is cut off");
}

static void read_headers(int file) {
    elf_header header;
    read_at(file, &header, sizeof header, 0);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_machine != MACHINE || header.e_type != ET_DYN ||
        header.e_phentsize != sizeof *segments || header.e_phnum > MAX_SEGMENTS)
        refuse_program("not a shared object for this machine");
    segment_count = header.e_phnum;
    read_at(file, segments, sizeof *segments * (size_t)segment_count, (off_t)header.e_phoff);
}

static void reserve_image(void) {
    uintptr_t size = 0;
    for (int i = 0; i < segment_count; i++)
        if (segments[i].p_type == PT_LOAD && segments[i].p_vaddr + segments[i].p_memsz > size)
            size = segments[i].p_vaddr + segments[i].p_memsz;
    size = next_page(size);
    void *at = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) refuse_program("no address space for its variables");
    base = (uintptr_t)at;
    image_end = base + size;
}

/* The part that is in the file, then zeros: the rest of its last page, and pages of their own. */
static void map_segment(int file, const elf_segment *s) {
    int protection = (s->p_flags & PF_R ? PROT_READ : 0) | (s->p_flags & PF_W ? PROT_WRITE : 0) |
                     (s->p_flags & PF_X ? PROT_EXEC : 0);
    int flags = MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE;
    uintptr_t begin = base + s->p_vaddr, file_end = begin + s->p_filesz, whole_end = begin + s->p_memsz;
    uintptr_t zeros = page_of(begin);
    if (s->p_filesz > 0) {
        off_t offset = (off_t)page_of(s->p_offset);
        if (mmap((void *)zeros, file_end - zeros, protection, flags, file, offset) == MAP_FAILED)
            refuse_program(strerror(errno));
        zeros = next_page(file_end);
        if (s->p_memsz > s->p_filesz) memset((void *)file_end, 0, zeros - file_end);
    }
    if (next_page(whole_end) > zeros &&
        mmap((void *)zeros, next_page(whole_end) - zeros, protection, flags | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
        refuse_program("no memory for its variables");
}

/* ---- symbols and relocations */

static int compare_names(const void *name, const void *symbol) {
    return strcmp(name, ((const struct symbol *)symbol)->name);
}

static uintptr_t address_of(const elf_symbol *symbol) {
    if (symbol->st_shndx == SHN_ABS) return symbol->st_value;
    if (symbol->st_shndx != SHN_UNDEF) return base + symbol->st_value;
    const char *name = names + symbol->st_name;
    const struct symbol *found = bsearch(name, rp_symbols, rp_symbol_count, sizeof *rp_symbols, compare_names);
    if (found != NULL && found->address != NULL) return (uintptr_t)found->address;
    if (SYMBOL_BIND(symbol) == STB_WEAK) return 0;
    char text[512];
    snprintf(text, sizeof text, "undefined symbol: %s", name);
    refuse_program(text);
}

static void relocate(const elf_row *rows, size_t bytes) {
    for (size_t i = 0; i < bytes / sizeof *rows; i++) {
        uintptr_t *place = (uintptr_t *)(base + rows[i].r_offset), added = ADDEND(rows[i], place);
        const elf_symbol *symbol = &symbols[ROW_SYMBOL(rows[i])];
        switch ((int)ROW_TYPE(rows[i])) {
        case 0: break;
        case TO_BASE: *place = base + added; break;
        case TO_GLOBAL:
        case TO_SLOT: *place = address_of(symbol); break;
        case TO_SYMBOL: *place = address_of(symbol) + added; break;
        case TO_DISTANCE: *place = address_of(symbol) + added - (uintptr_t)place; break;
        default: refuse_program("a relocation of a kind that the explorer does not know");
        }
    }
}

static void link_image(const elf_entry *entries) {
    const elf_row *relocations = NULL, *slots = NULL;
    size_t relocation_bytes = 0, slot_bytes = 0;
    for (const elf_entry *entry = entries; entry->d_tag != DT_NULL; entry++) {
        void *at = (void *)(base + entry->d_un.d_ptr);
        switch (entry->d_tag) {
        case DT_SYMTAB: symbols = at; break;
        case DT_STRTAB: names = at; break;
        case DT_HASH: symbol_count = ((const uint32_t *)at)[1]; break; /* as many chains as symbols */
        case RELOCATIONS: relocations = at; break;
        case RELOCATION_BYTES: relocation_bytes = entry->d_un.d_val; break;
        case DT_JMPREL: slots = at; break;
        case DT_PLTRELSZ: slot_bytes = entry->d_un.d_val; break;
        default: break;
        }
    }
    if (symbols == NULL || names == NULL || symbol_count == 0) refuse_program("the shared object has no symbols");
    relocate(relocations, relocation_bytes);
    relocate(slots, slot_bytes);
}

void image_load(const char *path) {
    const elf_entry *entries = NULL;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) refuse_program(strerror(errno));
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    read_headers(file);
    reserve_image();
    for (int i = 0; i < segment_count; i++) {
        if (segments[i].p_type == PT_LOAD) map_segment(file, &segments[i]);
        if (segments[i].p_type == PT_DYNAMIC) entries = (const elf_entry *)(base + segments[i].p_vaddr);
    }
    close(file);
    if (entries == NULL) refuse_program("the shared object has no symbols");
    link_image(entries);
}

void *image_symbol(const char *name) {
    for (uint32_t i = 1; i < symbol_count; i++)
        if (symbols[i].st_shndx != SHN_UNDEF && strcmp(names + symbols[i].st_name, name) == 0)
            return (void *)address_of(&symbols[i]);
    refuse_program(name);
}

void image_writable(void (*take)(uintptr_t begin, uintptr_t end)) {
    for (int i = 0; i < segment_count; i++) {
        const elf_segment *s = &segments[i];
        if (s->p_type == PT_LOAD && (s->p_flags & PF_W)) take(base + s->p_vaddr, base + s->p_vaddr + s->p_memsz);
    }
}

bool image_has(const void *p) {
    uintptr_t at = (uintptr_t)p;
    return (at >= base && at < image_end) || (at >= (uintptr_t)__executable_start && at < (uintptr_t)end);
}

#endif
