// Certificates of a run's steps: a table for plots, and what was worst.
#ifndef SINEW_APPS_CERTIFICATES_H_
#define SINEW_APPS_CERTIFICATES_H_

#include <mujoco/mujoco.h>
#include <sinew/certificate.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct Certificates_ {
  FILE* file;         // CSV, one row a step; NULL: none
  long count;         // of certificates
  snCertificate gap;  // those of the worst steps
  snCertificate residual, penetration, loop, limit, closure;
  snCertificate sum;  // works and dissipation of all steps
  double grown;       // bytes of arena
  long warnings;
} Certificates;

// Opens the table and writes its first row; path NULL or "-": no table. False: it cannot be
// written.
bool certificates_open(Certificates* all, const char* path);
// The certificate of the last step, when there is one.
void certificates_add(Certificates* all, const mjModel* m, const mjData* d);
// False: the table is not whole.
bool certificates_close(Certificates* all);
void certificates_summary(const Certificates* all, const mjModel* m);

#endif
