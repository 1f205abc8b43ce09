/* search_pdp.h: property-driven pruning, for the searches that stop at accesses: `pdp` and `dhtc`. */
#ifndef SEARCH_PDP_H
#define SEARCH_PDP_H

#include "futures.h"

void pdp_leave_out_found(void); /* pairs that have raced in the execution keep no subspace open any more */
void pdp_update(void); /* backtrack sets of the states from which a race is possible */

#endif
