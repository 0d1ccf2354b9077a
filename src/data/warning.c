// mj_warning: counted every time, reported the first time, so that a bad state does not flood the
// output. The same for warnings beyond the documented ones.
#include <stdarg.h>
#include <stdio.h>

#include "base/inside_sinew.h"
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

void data_warn(mjData* d, snWarning warning, const char* format, ...) {
  SN_ASSERT(warning >= 0 && warning < snNWARNING);
  if (((snData*)d)->warned[warning]++) return;
  char text[500];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  mju_warning("sinew:%s; Time = %.4f", text, d->time);
}

static const char* const kName[snNWARNING] = {"loops", "anchors"};

const char* sn_warningName(int warning) {
  return warning >= 0 && warning < snNWARNING ? kName[warning] : NULL;
}

int sn_warningCount(const mjModel* m, const mjData* d, int warning) {
  (void)m;
  if (!sn_warningName(warning)) {
    mju_error("sn_warningCount: warning %d is outside [0, %d)", warning, snNWARNING);
    return 0;
  }
  return ((const snData*)d)->warned[warning];
}
