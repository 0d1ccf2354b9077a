// mj_warning: counted every time, reported the first time, so that a bad state does not flood the
// output.
#include "data/data.h"

void mj_warning(mjData* d, int warning, int info) {
  if (warning < 0 || warning >= mjNWARNING) {
    mju_error("mj_warning: warning %d is outside [0, %d)", warning, mjNWARNING);
    return;
  }
  mjWarningStat* stat = d->warning + warning;
  stat->lastinfo = info;
  if (!stat->number++) {
    mju_warning("%s Time = %.4f.", mju_warningText(warning, (size_t)info), d->time);
  }
}
