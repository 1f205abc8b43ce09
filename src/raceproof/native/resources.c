/* resources.c: what the program under test may use of the machine; for raceproof.explore.
 *
 * This protects against accidents, not against malice: a program that runs here runs with the rights of the user.
 */

#define _GNU_SOURCE
#include "resources.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MEMORY ((rlim_t)4 << 30)    /* beyond what the runtime has reserved for itself */
#define FILE_SIZE ((rlim_t)1 << 30) /* of one file */

static void lower(int resource, rlim_t limit) {
    struct rlimit now;
    if (getrlimit(resource, &now) != 0) return;
    if (now.rlim_cur == RLIM_INFINITY || now.rlim_cur > limit) now.rlim_cur = limit;
    setrlimit(resource, &now);
}

#ifdef __linux__

#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>

static rlim_t reserved(void) {
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL) return 0;
    int found = fscanf(file, "%lu", &pages);
    fclose(file);
    return found == 1 ? (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) : 0;
}

static bool write_file(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return false;
    bool done = write(file, text, strlen(text)) == (ssize_t)strlen(text);
    close(file);
    return done;
}

static void keep_ids(uid_t user, gid_t group) {
    char text[64];
    snprintf(text, sizeof text, "%u %u 1", user, user);
    (void)write_file("/proc/self/uid_map", text);
    (void)write_file("/proc/self/setgroups", "deny");
    snprintf(text, sizeof text, "%u %u 1", group, group);
    (void)write_file("/proc/self/gid_map", text);
}

static void start_loopback(void) {
    int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (any < 0) return;
    struct ifreq request = {.ifr_flags = IFF_UP | IFF_RUNNING};
    strcpy(request.ifr_name, "lo");
    (void)ioctl(any, SIOCSIFFLAGS, &request);
    close(any);
}

static bool is_separate;

/* In its network there is nothing but this process. */
void separate_from_others(void) {
    uid_t user = geteuid();
    gid_t group = getegid();
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWNS) != 0) return;
    keep_ids(user, group);
    start_loopback();
    /* What is mounted from here on, nobody else sees. */
    is_separate = mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

/* Shared memory of POSIX is files in /dev/shm. */
bool own_names(void) {
    if (!is_separate || unshare(CLONE_NEWIPC | CLONE_NEWNS) != 0) return false;
    return mount("raceproof", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "size=1g") == 0;
}

#else

static rlim_t reserved(void) { return 0; }
void separate_from_others(void) {}
bool own_names(void) { return false; }

#endif

void limit_resources(void) {
    rlim_t own = reserved();
    if (own > 0) lower(RLIMIT_AS, own + MEMORY);
    lower(RLIMIT_FSIZE, FILE_SIZE);
    lower(RLIMIT_CORE, 0);
}
