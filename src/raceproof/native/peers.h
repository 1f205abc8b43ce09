/* peers.h: processes beside the program, with which it talks: clients and servers that the user has given. */
#ifndef PEERS_H
#define PEERS_H

#include <stdbool.h>
#include <sys/types.h>

void surroundings_begin(void); /* of an execution: its own network and files; servers are started */
void peers_start(void);     /* the program listens, or waits: clients are started, once */
bool peers_settle(void);    /* until they have nothing left to do but to wait; false: they go on computing */
bool peers_are_there(void); /* one of them still runs */
bool peers_are_done(void);  /* clients were given, and all of them have ended */
bool peers_has(pid_t pid);  /* a child that the program knows nothing of */

#endif
