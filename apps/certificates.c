// Certificates of a run's steps (sinew/certificate.h): a CSV table and a summary.
#include "certificates.h"

#include <math.h>
#include <string.h>

// A name may hold anything: quoted, with quotes doubled.
static void write_name(FILE* file, const char* name) {
  fputc('"', file);
  for (; name && *name; name++) {
    if (*name == '"') fputc('"', file);
    fputc(*name, file);
  }
  fputc('"', file);
}

bool certificates_open(Certificates* all, const char* path) {
  *all = (Certificates){0};
  if (!path || !strcmp(path, "-")) return true;
  all->file = fopen(path, "w");
  if (!all->file) return false;
  for (int i = 0; sn_certificateName(i); i++) {
    fprintf(all->file, "%s%s", i ? "," : "", sn_certificateName(i));
    if (sn_certificateObject(i) != mjOBJ_UNKNOWN) {
      fprintf(all->file, ",%s_name", sn_certificateName(i));
    }
  }
  fputc('\n', all->file);
  return true;
}

static void write_row(FILE* file, const mjModel* m, const snCertificate* c) {
  for (int i = 0; sn_certificateName(i); i++) {
    int object = sn_certificateObject(i);
    double value = sn_certificateValue(c, i);
    fprintf(file, "%s%.17g", i ? "," : "", value);
    if (object == mjOBJ_UNKNOWN) continue;
    fputc(',', file);
    write_name(file, value < 0 ? NULL : mj_id2name(m, object, (int)value));
  }
  fputc('\n', file);
}

void certificates_add(Certificates* all, const mjModel* m, const mjData* d) {
  snCertificate c;
  if (!sn_getCertificate(m, d, &c)) return;
  bool first = !all->count++;
  if (first || c.gap > all->gap.gap) all->gap = c;
  if (first || c.residual > all->residual.residual) all->residual = c;
  if (first || c.penetration > all->penetration.penetration) all->penetration = c;
  if (first || c.loop > all->loop.loop) all->loop = c;
  if (first || c.limit > all->limit.limit) all->limit = c;
  if (first || fabs(c.closure) > fabs(all->closure.closure)) all->closure = c;
  all->sum.stored += c.stored;
  all->sum.actuators += c.actuators;
  all->sum.applied += c.applied;
  all->sum.integrator += c.integrator;
  all->sum.dissipated += c.dissipated;
  all->grown += c.arena_grown;
  all->warnings += c.warnings;
  if (all->file) write_row(all->file, m, &c);
}

bool certificates_close(Certificates* all) {
  if (!all->file) return true;
  bool good = !ferror(all->file);
  good &= !fclose(all->file);
  all->file = NULL;
  return good;
}

static const char* name_of(const mjModel* m, int object, int id, char text[32]) {
  const char* name = id < 0 ? NULL : mj_id2name(m, object, id);
  if (name) return name;
  snprintf(text, 32, "%d", id);
  return text;
}

void certificates_summary(const Certificates* all, const mjModel* m) {
  if (!all->count) return;
  char a[32], b[32];
  const snCertificate *r = &all->residual, *p = &all->penetration, *l = &all->loop;
  printf("%-20s residual %.2g (joint %s, %.4g s), duality gap %.2g of %.2g (%.4g s)\n",
         "worst solve", r->residual, name_of(m, mjOBJ_JOINT, r->residual_joint, a), r->time,
         all->gap.gap, all->gap.cost, all->gap.time);
  if (p->penetration > 0) {
    printf("%-20s %.3g mm, geoms %s and %s (%.4g s)\n", "deepest contact", 1e3 * p->penetration,
           name_of(m, mjOBJ_GEOM, p->penetration_geom1, a),
           name_of(m, mjOBJ_GEOM, p->penetration_geom2, b), p->time);
  }
  if (l->loop > 0) {
    printf("%-20s %.2g, equality %s (%.4g s)\n", "largest loop gap", l->loop,
           name_of(m, mjOBJ_EQUALITY, l->loop_equality, a), l->time);
  }
  if (all->limit.limit > 0) {
    printf("%-20s %.2g, joint %s (%.4g s)\n", "beyond a limit", all->limit.limit,
           name_of(m, mjOBJ_JOINT, all->limit.limit_joint, a), all->limit.time);
  }
  printf("%-20s actuators %+.4g J, applied %+.4g J, dissipated %.4g J\n", "work",
         all->sum.actuators, all->sum.applied, all->sum.dissipated);
  printf(
      "%-20s stored %+.4g J, of it by the integrator %+.2g J; at most %.1g J a step unaccounted\n",
      "", all->sum.stored, all->sum.integrator, fabs(all->closure.closure));
  if (all->grown > 0) printf("%-20s grew by %.0f kB\n", "arena", all->grown / 1024);
}
