/* items.h: parts of a search, so that several processes can share it.
 *
 * A work item is a schedule prefix: for each node the thread that is chosen, and the threads that are taken care of
 * there without us. The nodes of the prefix are frozen: this search never goes back there. Where it would like to, it
 * says so (`request`), and whoever divides the work sees to it.
 */
#ifndef ITEMS_H
#define ITEMS_H

#include "isolation.h"

extern uint32_t frozen; /* nodes below are not ours alone */

void items_listen(void); /* from now on, the host may ask for a part of our work */
void items_begin(void);  /* a search: follow the item first */

/* In the first execution: node `depth` of the item is reached, and its thread is about to do `op`. */
void items_visit(uint32_t depth, tset enabled, uint32_t section, const struct op *op);

/* One of `tids` should be tried at the frozen node e, `wanted` if none of them is yet. */
void items_request(uint32_t e, tset tids, uint8_t wanted);

bool items_divided(void);     /* parts of this search are elsewhere: it cannot begin anew alone */
enum stop items_pass(void);   /* between executions: give away what was asked for, or everything when it is time */
void items_tell_facts(void);  /* what the search has found out about the program: its scheduling points depend on it */

#endif
