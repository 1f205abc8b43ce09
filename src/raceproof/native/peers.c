/* peers.c: clients and servers that the user has given, for raceproof.explore.
 *
 * Each kind has a keeper, a process that starts the commands and ends when all that they have left has ended. It is no
 * child of the program, which could otherwise wait for it. Clients are as fast as can be: before the program looks whether
 * something has come, they run until each of them waits. So the same schedule of the program finds the same again, if the
 * clients do the same.
 */

#define _GNU_SOURCE
#include "peers.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "report.h"
#include "resources.h"
#include "rt.h"
#include "watchdog.h"

#define PAUSE 200000                        /* nanoseconds between two looks at what they do */
#define BUSY UINT64_C(20000000000)          /* so long they may compute before the program goes on */
#define SERVER_STARTS UINT64_C(20000000000) /* so long a server may take until it listens */
#define MAX_DEPTH 16
#define OPEN_FILES 1024

static struct keeper { pid_t pid; bool has_ended; } clients, servers;

/* ---- what processes do: /proc */

/* As `ps` shows it; 0 if there is no such process any more. */
static char state_in(const char *path) {
    char text[512];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0) close(file);
    if (n <= 0) return 0;
    text[n] = 0;
    const char *name_end = strrchr(text, ')');
    return name_end != NULL && name_end[1] == ' ' ? name_end[2] : 0;
}

static bool is_over(char state) { return state == 0 || state == 'Z' || state == 'X'; }

static char state_of_process(pid_t pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    return state_in(path);
}

static bool waits(pid_t pid, int depth);

static bool children_wait(const char *task, int depth) {
    char path[96];
    long child;
    bool all = true;
    snprintf(path, sizeof path, "%s/children", task);
    FILE *file = fopen(path, "re");
    while (file != NULL && all && fscanf(file, "%ld", &child) == 1) all = waits((pid_t)child, depth + 1);
    if (file != NULL) fclose(file);
    return all;
}

/* All threads of it, and of its children. */
static bool waits(pid_t pid, int depth) {
    char path[64], task[80], stat[96];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *tasks = depth < MAX_DEPTH ? opendir(path) : NULL;
    bool all = true;
    for (struct dirent *entry; tasks != NULL && all && (entry = readdir(tasks)) != NULL;) {
        if (!isdigit((unsigned char)entry->d_name[0])) continue;
        snprintf(task, sizeof task, "%s/%.12s", path, entry->d_name);
        snprintf(stat, sizeof stat, "%s/stat", task);
        char state = state_in(stat);
        all = (is_over(state) || state == 'S' || state == 'T') && children_wait(task, depth);
    }
    if (tasks != NULL) closedir(tasks);
    return all;
}

static bool runs(struct keeper *keeper) {
    if (keeper->pid == 0 || keeper->has_ended) return false;
    (void)waitpid(keeper->pid, NULL, WNOHANG); /* of a replay: it is a child of this process */
    keeper->has_ended = is_over(state_of_process(keeper->pid));
    return !keeper->has_ended;
}

bool peers_are_there(void) { return runs(&clients) || runs(&servers); }
bool peers_are_done(void) {
    if (clients.pid == 0 || runs(&clients)) return false;
    if (G->client_status != 0) G->client_failed = G->client_status;
    return true;
}

bool peers_has(pid_t pid) { return pid != 0 && (pid == clients.pid || pid == servers.pid); }

static void rest(void) {
    static const struct timespec pause = {.tv_nsec = PAUSE};
    nanosleep(&pause, NULL);
}

static bool are_busy(void) {
    return (runs(&clients) && !waits(clients.pid, 0)) || (runs(&servers) && !waits(servers.pid, 0));
}

bool peers_settle(void) {
    int before = errno;
    uint64_t until = now_nanoseconds() + BUSY;
    bool busy;
    while ((busy = are_busy()) && now_nanoseconds() < until && !must_stop()) {
        pulse.execution++; /* for the watchdog: it goes on */
        rest();
    }
    errno = before;
    return !busy;
}

/* ---- starting them */

static _Noreturn void run_command(const char *command) {
    sigset_t none;
    end_with_parent(getppid());
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

static void without_files(void) {
    int nothing = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++) dup2(nothing, fd);
    for (int fd = 3; fd < OPEN_FILES; fd++) close(fd);
}

static _Noreturn void keep(char **commands, uint32_t count, bool are_clients) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    for (uint32_t i = 0; i < count; i++)
        if (fork() == 0) run_command(commands[i]);
    int status;
    while (waitpid(-1, &status, 0) > 0 || errno == EINTR)
        if (are_clients && status != 0) G->client_status = WIFEXITED(status) ? (uint32_t)WEXITSTATUS(status) : 128;
    _exit(0);
}

/* Its parent is the search, or what watches over it: there it ends, whatever becomes of the program. All that it starts
 * ends with it, if the system has namespaces for process ids. */
static _Noreturn void begin_keeper(int number, char **commands, uint32_t count, bool are_clients) {
    int until_gone[2];
    if (pipe2(until_gone, O_CLOEXEC) != 0) _exit(4);
    (void)unshare(CLONE_NEWPID);
    pid_t child = fork();
    if (child == 0) {
        char nothing;
        setpgid(0, 0);
        close(until_gone[1]);
        close(number);
        while (read(until_gone[0], &nothing, 1) < 0 && errno == EINTR) {
        }
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        without_files();
        keep(commands, count, are_clients);
    }
    (void)!write(number, &child, sizeof child);
    _exit(0);
}

static void start_keeper(struct keeper *keeper, char **commands, uint32_t count, bool are_clients) {
    int number[2];
    *keeper = (struct keeper){0};
    G->client_status = 0;
    if (count == 0 || pipe2(number, O_CLOEXEC) != 0) return;
    pid_t between = fork();
    if (between == 0) begin_keeper(number[1], commands, count, are_clients);
    close(number[1]);
    while (between > 0 && waitpid(between, NULL, 0) < 0 && errno == EINTR) {
    }
    while (read(number[0], &keeper->pid, sizeof keeper->pid) < 0 && errno == EINTR) {
    }
    close(number[0]);
    limit_reached(RP_LIMIT_OTHERS);
}

static bool somebody_listens(void) {
    static const char *const tables[] = {"/proc/self/net/tcp", "/proc/self/net/tcp6"};
    char line[512];
    bool found = false;
    for (size_t i = 0; i < sizeof tables / sizeof *tables && !found; i++) {
        FILE *file = fopen(tables[i], "re");
        while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) found = strstr(line, " 0A ") != NULL;
        if (file != NULL) fclose(file);
    }
    return found;
}

static void start_servers(void) {
    clients = servers = (struct keeper){0};
    start_keeper(&servers, options.servers, options.server_count, false);
    uint64_t until = now_nanoseconds() + SERVER_STARTS;
    while (options.server_count > 0 && runs(&servers) && !somebody_listens() && now_nanoseconds() < until) rest();
    peers_settle();
}

void surroundings_begin(void) {
    static const char no_network[] = "the program's network is not its own: the system gives it no namespace";
    static const char no_files[] = "what the program writes stays for the next execution: the system gives it no namespace";
    (void)lseek(0, 0, SEEK_SET); /* children read it from the beginning */
    (void)!ftruncate(1, 0);
    bool has_peers = options.client_count + options.server_count > 0;
    if (has_peers && !own_network()) report_bounded(no_network, NONE);
    bool is_there = options.directory == NULL || chdir(options.directory) == 0;
    bool is_private = !options.writes_files || own_files();
    if (!is_there || (!is_private && options.directory != NULL)) report_bounded(no_files, NONE);
    start_servers();
}

void peers_start(void) {
    if (clients.pid != 0) return;
    int before = errno;
    start_keeper(&clients, options.clients, options.client_count, true);
    peers_settle();
    errno = before;
}
