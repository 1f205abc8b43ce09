/* hunt.h: executions that look for one race each, for the searches that do so before they go through everything. */
#ifndef HUNT_H
#define HUNT_H

#include "rt.h"

void hunt_fresh(bool hunts, bool guided); /* a search begins; without `hunts` it has none */
/* The next execution hunts for another pair that is open, and that the check of a state has held for possible if
 * `conflicts_only`; false: there is none left. */
bool hunt_next(bool conflicts_only);
void hunt_over(void);        /* that execution has ended */
int hunt_choose(const struct node *node);

#endif
