// Which worker of a pool this thread is.
#include "base/base.h"

_Thread_local int thread_worker;
