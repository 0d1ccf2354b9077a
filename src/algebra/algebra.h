// Beyond the documented mju_ functions: what the engine's own rooms share.
#ifndef SINEW_ALGEBRA_ALGEBRA_H_
#define SINEW_ALGEBRA_ALGEBRA_H_

#include "algebra/small.h"
#include "base/base.h"

#endif
