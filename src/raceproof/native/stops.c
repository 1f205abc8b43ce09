/* stops.c: how much of their arguments library functions certainly read, for raceproof.explore.
 *
 * strtol reads up to the first character that is no part of the number. What is behind it, it may read, if that belongs
 * to the string; no standard says so or forbids it. A conflict there is no race that was executed, but the program is
 * not proved either.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched.h"

static uint64_t up_to(const char *from, const char *end) { return (uint64_t)(end - from) + 1; }

static uint64_t certain_number(const char *s, bool is_float, int base) {
    int saved = errno;
    char *end = (char *)s;
    if (is_float) {
        (void)strtod(s, &end);
    } else {
        (void)strtoull(s, &end, base);
    }
    errno = saved;
    return up_to(s, end);
}

static uint64_t certain_difference(const char *a, const char *b, uint64_t limit, bool is_string) {
    for (uint64_t i = 0; i < limit; i++)
        if (a[i] != b[i] || (is_string && a[i] == '\0')) return i + 1;
    return limit;
}

uint64_t certain_bytes(const char *s, uint32_t stop, const char *other, uint64_t number) {
    switch ((enum rp_stop)stop) {
    case RP_STOP_INTEGER: return certain_number(s, false, (int)number);
    case RP_STOP_FLOAT: return certain_number(s, true, 0);
    case RP_STOP_TOKEN: {
        size_t skipped = strspn(s, other);
        return skipped + strcspn(s + skipped, other) + 1;
    }
    case RP_STOP_CHARACTER: {
        const char *found = strchr(s, (int)number);
        return found != NULL ? up_to(s, found) : strlen(s) + 1;
    }
    case RP_STOP_SPAN: return strspn(s, other) + 1;
    case RP_STOP_COSPAN: return strcspn(s, other) + 1;
    case RP_STOP_SUBSTRING: {
        const char *found = strstr(s, other);
        return found != NULL ? (uint64_t)(found - s) + strlen(other) : strlen(s) + 1;
    }
    case RP_STOP_DIFFERENCE: return certain_difference(s, other, number, true);
    case RP_STOP_MEMORY: return certain_difference(s, other, number, false);
    }
    return 0;
}

uint64_t possible_bytes(const char *s, uint32_t stop, uint64_t number) {
    if (stop == RP_STOP_MEMORY) return number;
    if (stop != RP_STOP_DIFFERENCE) return strlen(s) + 1;
    size_t length = strnlen(s, (size_t)number);
    return length < number ? length + 1 : number;
}
