/* resources.c: what the program under test may use of the machine; for raceproof.explore.
 *
 * This protects against accidents, not against malice: a program that runs here runs with the rights of the user.
 */

#define _GNU_SOURCE
#include "resources.h"

#include <fcntl.h>
#include <limits.h>
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
#include <sys/stat.h>

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

static bool is_separate, has_network;

/* In its network there is nothing but this process. */
void separate_from_others(void) {
    uid_t user = geteuid();
    gid_t group = getegid();
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWNS) != 0) return;
    keep_ids(user, group);
    start_loopback();
    /* What is mounted from here on, nobody else sees. */
    has_network = true;
    is_separate = mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

bool own_network(void) {
    if (!has_network || unshare(CLONE_NEWNET) != 0) return false;
    start_loopback();
    return true;
}

/* Over the directory lies one that takes what is written, in memory: the same files, but for this execution alone. */
static bool cover(const char *path) {
    char text[PATH_MAX + 256], lower[64];
    int below = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (below < 0 || mount("raceproof", path, "tmpfs", MS_NOSUID | MS_NODEV, "size=1g") != 0) return false;
    snprintf(lower, sizeof lower, "/proc/self/fd/%d", below);
    bool done = snprintf(text, sizeof text, "%s/above", path) < PATH_MAX && mkdir(text, 0700) == 0;
    done = done && snprintf(text, sizeof text, "%s/work", path) < PATH_MAX && mkdir(text, 0700) == 0;
    int length = snprintf(text, sizeof text, "lowerdir=%s,upperdir=%s/above,workdir=%s/work,userxattr", lower, path, path);
    done = done && length < (int)sizeof text && mount("raceproof", path, "overlay", MS_NOSUID | MS_NODEV, text) == 0;
    if (!done) (void)umount2(path, MNT_DETACH);
    close(below);
    return done;
}

static bool is_within(const char *path, const char *directory) {
    size_t length = strlen(directory);
    return strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == 0);
}

/* What the program writes, in the directory where it runs and for a while, nobody else sees. */
bool own_files(void) {
    static const char *const shared[] = {"/tmp", "/var/tmp"};
    char here[PATH_MAX];
    if (!is_separate || getcwd(here, sizeof here) == NULL || unshare(CLONE_NEWNS) != 0) return false;
    bool all = true, covered = false;
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        bool done = cover(shared[i]);
        if (!is_within(here, shared[i])) continue;
        covered = true;
        all = done;
    }
    if (!covered) all = strcmp(here, "/") != 0 && cover(here);
    return chdir(here) == 0 && all;
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
bool own_network(void) { return false; }
bool own_files(void) { return false; }

#endif

void limit_resources(void) {
    rlim_t own = reserved();
    if (own > 0) lower(RLIMIT_AS, own + MEMORY);
    lower(RLIMIT_FSIZE, FILE_SIZE);
    lower(RLIMIT_CORE, 0);
}
