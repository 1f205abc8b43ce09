/* search_pdp.h: where `pdp` and `dhtc` stop to go back. */
#ifndef SEARCH_PDP_H
#define SEARCH_PDP_H

#include "futures.h"

uint32_t pruning_limit(void); /* no backtracking at this state and behind it */

#endif
