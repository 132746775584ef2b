// What the C side of the exports shares.
#ifndef OXIDE_EXPORTS_H
#define OXIDE_EXPORTS_H

#include "oxide.h"

extern volatile int oxide_forked; // set in a child of fork: the Go runtime's threads are not there
oxide_status oxide_refuse_forked(void);

// oxide_remember keeps the error of the calling thread and returns its status.
oxide_status oxide_remember(const oxide_error *error);

#endif
