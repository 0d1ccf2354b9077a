// sinew paper NAME: a figure or table of the papers Sinew implements, computed anew.
#include "paper.h"

#include <math.h>
#include <sinew/solver.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char help_paper[] =
    "Computes a figure or table of a paper anew and writes it as a page.\n\n"
    "  sinew paper 2014-2      forward and inverse impulses of one joint\n"
    "  sinew paper 2014-3      time of forward and inverse dynamics by rows\n"
    "  sinew paper 2010        iterations of implicit complementarity\n"
    "  sinew paper 2011        inverse evaluations per second by contacts\n"
    "  sinew paper sdfast      forward dynamics per second, four mechanisms\n"
    "  sinew paper trajectory  a hand turns a ball: motion found by inverse\n"
    "                          dynamics, written as a trajectory file as well\n\n"
    "  -o FILE                 the page (default: paper-NAME.html)\n\n"
    "Exit code: 0 written, 1 it was not, 2 wrong usage.\n";

// ---- shared

mjModel* text_model(const char* xml) {
  char error[1000] = "";
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof error);
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  if (!m) fprintf(stderr, "sinew paper: %s\n", spec ? mjs_getError(spec) : error);
  mj_deleteSpec(spec);
  return m;
}

double core_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

double paper_median(double* x, int n) {
  if (!n) return NAN;
  qsort(x, (size_t)n, sizeof *x, ascending);
  return x[n / 2];
}

int paper_table(const Paper* p, const char* title, const char* text, Table* t) {
  FILE* f = t->failed ? NULL : page_open(p->output, title);
  bool good = f != NULL;
  if (f) {
    page_origin(f, p->command);
    fprintf(f, "<p>%s</p>", text);
    table_write(t, f);
    good = page_close(f, p->output);
    table_print(t);
    if (good) printf("\n%s\n", p->output);
  }
  table_free(t);
  return good ? 0 : 1;
}

// ---- 2014, figure 2: one joint with dry friction, whose tip meets the ground

static const char kJoint[] =
    "<mujoco><option timestep='.005' cone='elliptic'/><worldbody>"
    "<geom type='plane' size='2 2 .1'/><body pos='0 0 .45'>"
    "<joint name='j' axis='0 1 0' frictionloss='.6' damping='.02'/>"
    "<geom type='capsule' size='.025' fromto='0 0 0 .5 0 0' mass='.6'/>"
    "<geom size='.05' pos='.5 0 0' mass='.3'/></body></worldbody>"
    "<actuator><motor joint='j'/></actuator></mujoco>";

enum { kShown = 400 };

typedef struct Series_ {
  double time[kShown], forward[2][kShown], inverse[2][kShown];
  double difference;
} Series;

// Impulses of the friction row and of the contact's normal.
static void read_impulses(const mjModel* m, const mjData* d, double to[2]) {
  to[0] = to[1] = 0;
  for (int i = 0; i < d->nefc; i++) {
    if (d->efc_type[i] == mjCNSTR_FRICTION_DOF) to[0] = d->efc_force[i] * m->opt.timestep;
    if (d->efc_type[i] == mjCNSTR_CONTACT_ELLIPTIC) {
      to[1] += d->efc_force[i] * m->opt.timestep;
      i += d->contact[d->efc_id[i]].dim - 1;
    }
  }
}

static bool perturb_joint(Series* s) {
  mjModel* m = text_model(kJoint);
  mjData *d = m ? mj_makeData(m) : NULL, *e = m ? mj_makeData(m) : NULL;
  unsigned long long seed = 4;
  double level = 0;
  bool good = d && e && sn_setSolver(m, d, "gpgs") && sn_setSolver(m, e, "gpgs");
  for (int i = 0; good && i < kShown; i++) {
    level = 0.97 * level + 0.9 * (random_unit(&seed) + random_unit(&seed) - 1);
    d->ctrl[0] = 2 * level;
    mj_copyData(e, m, d);
    sn_setSolver(m, e, "gpgs");
    mj_forward(m, d);
    mju_copy(e->qacc, d->qacc, m->nv);
    mj_inverse(m, e);
    double forward[2], inverse[2];
    read_impulses(m, d, forward);
    read_impulses(m, e, inverse);
    s->time[i] = d->time;
    for (int k = 0; k < 2; k++) {
      s->forward[k][i] = forward[k];
      s->inverse[k][i] = inverse[k];
      s->difference = fmax(s->difference, fabs(forward[k] - inverse[k]));
    }
    mj_step(m, d);
  }
  mj_deleteData(d);
  mj_deleteData(e);
  mj_deleteModel(m);
  return good;
}

static void plot_impulses(FILE* f, const Series* s, int k) {
  double low = 0, high = 1e-6;
  for (int i = 0; i < kShown; i++) {
    low = fmin(low, s->forward[k][i]);
    high = fmax(high, s->forward[k][i]);
  }
  Axes a = {0, s->time[kShown - 1], low, high, false, false, false, 640, 190,
            k ? "Contact with the ground, normal" : "Dry friction of the joint", "time (s)",
            k ? "impulse (N s)" : "impulse (N m s)"};
  plot_begin(f, &a);
  plot_curve(f, &a, s->time, s->forward[k], kShown, "#222", NULL, false, "forward");
  plot_curve(f, &a, s->time, s->inverse[k], kShown, "#e67e22", "4 4", false, "inverse");
  Label label[2] = {{s->forward[k][kShown - 1], "forward", "#222"},
                    {s->inverse[k][kShown - 1], "inverse", "#e67e22"}};
  plot_end(f, &a, label, 2);
}

int paper_correctness(const Paper* p) {
  Series* s = calloc(1, sizeof *s);
  FILE* f = s && perturb_joint(s) ? page_open(p->output, "Forward and inverse impulses (2014)")
                                  : NULL;
  bool good = f != NULL;
  if (f) {
    page_origin(f, p->command);
    fprintf(f,
            "<p>A joint with dry friction whose tip meets the ground, perturbed at random for %g s: "
            "impulses of the forward dynamics (gpgs, to convergence) and of the analytic inverse, "
            "which knows the motion alone. Largest difference: <b>%.1e</b> (the paper: within "
            "1e-5).</p>\n",
            s->time[kShown - 1], s->difference);
    plot_impulses(f, s, 0);
    plot_impulses(f, s, 1);
    good = page_close(f, p->output);
    printf("largest difference of impulses %.2g (the paper: 1e-5)\n%s\n", s->difference, p->output);
  }
  free(s);
  return good ? 0 : 1;
}

// ---- forward dynamics without contact (the table beside SD/FAST)

// Text of a mechanism of 30 dofs: 0 thirty bodies apart, 1 a chain, 2 a hand.
static void mechanism(int which, char* xml, size_t room) {
  size_t at = (size_t)snprintf(xml, room,
                               "<mujoco><option timestep='.002'><flag constraint='disable'/>"
                               "</option><worldbody>");
  static const char* const kAxis[] = {"1 0 0", "0 1 0", "0 0 1"};
  static const int kRays[] = {4, 4, 4, 4, 6};
  int open = 0;
  for (int i = 0; which < 2 && i < 30; i++) {
    at += (size_t)snprintf(xml + at, room - at,
                           "<body pos='%g 0 .1'><joint axis='%s'/><geom type='capsule' size='.03' "
                           "fromto='0 0 0 .02 0 .1'/>",
                           which ? 0.0 : 0.2 * i, kAxis[i % 3]);
    if (which) {
      open++;
    } else {
      at += (size_t)snprintf(xml + at, room - at, "</body>");
    }
  }
  if (which == 2) {
    at += (size_t)snprintf(xml + at, room - at,
                           "<body><freejoint/><geom size='.05'/><body pos='.1 0 0'>"
                           "<joint axis='0 1 0'/><joint axis='0 0 1'/><geom type='box' "
                           "size='.05 .04 .01'/>");
    open = 2;
    for (int ray = 0; ray < 5; ray++) {
      for (int i = 0; i < kRays[ray]; i++) {
        at += (size_t)snprintf(xml + at, room - at,
                               "<body pos='%g %g 0'><joint axis='%s'/><geom type='capsule' "
                               "size='.008' fromto='0 0 0 .03 0 0'/>",
                               i ? 0.035 : 0.05, i ? 0.0 : 0.02 * (ray - 2), kAxis[i ? 1 : 2]);
      }
      for (int i = 0; i < kRays[ray]; i++) at += (size_t)snprintf(xml + at, room - at, "</body>");
    }
  }
  while (open--) at += (size_t)snprintf(xml + at, room - at, "</body>");
  snprintf(xml + at, room - at, "</worldbody></mujoco>");
}

// Evaluations per second of forward dynamics, and of recursive Newton-Euler with its kinematics:
// the best of 20 rounds.
static void clock_dynamics(const mjModel* m, mjData* d, double rate[2]) {
  rate[0] = rate[1] = 0;
  for (int i = 0; i < m->nv; i++) d->qvel[i] = 0.1 * sin(i);
  for (int round = 0; round < 20; round++) {
    double start = core_time();
    for (int i = 0; i < 500; i++) mj_forward(m, d);
    rate[0] = fmax(rate[0], 500 / (core_time() - start));
    start = core_time();
    for (int i = 0; i < 500; i++) mj_inverse(m, d);
    rate[1] = fmax(rate[1], 500 / (core_time() - start));
  }
}

int paper_sdfast(const Paper* p) {
  static const char* const kName[] = {"isolated", "chain", "hand", "humanoid"};
  static const int kSlide[4][3] = {{140800, 113600, 122000},
                                   {100000, 125000, 36800},
                                   {96200, 85500, 68500},
                                   {116300, 125000, 67600}};
  static const char* const kHead[] = {"mechanism",    "dofs",    "Sinew",   "Sinew, inverse",
                                      "slide: MuJoCo", "SD/FAST", "with factor(M)", "Sinew / last"};
  Table t;
  char* xml = malloc(40000);
  table_begin(&t, "Evaluations per second", 8, kHead);
  t.minor[1] = t.minor[4] = true;
  double least = INFINITY;
  for (int i = 0; xml && i < 4; i++) {
    if (i < 3) mechanism(i, xml, 40000);
    mjModel* m = i < 3 ? text_model(xml) : example_model();
    mjData* d = m ? mj_makeData(m) : NULL;
    double rate[2] = {0, 0};
    if (m) m->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_CONTACT;
    if (d) clock_dynamics(m, d, rate);
    table_add(&t, "%s", kName[i]);
    table_add(&t, "%d", m ? m->nv : 0);
    for (int k = 0; k < 2; k++) table_add(&t, "%.0f", rate[k]);
    for (int k = 0; k < 3; k++) table_add(&t, "%d", kSlide[i][k]);
    table_add(&t, "%.1f", rate[0] / kSlide[i][2]);
    least = fmin(least, rate[0] / kSlide[i][2]);
    t.failed |= !d;
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  t.failed |= !xml;
  free(xml);
  snprintf(t.note, sizeof t.note,
           "Forward dynamics, factor(M) included, at least %.1f times the slide's rate; the slide's "
           "processor is an Intel at 3 GHz, this one is %s.",
           least, processor_name());
  return paper_table(p, "Forward dynamics without contact",
                     "Four mechanisms of about 30 degrees of freedom, one thread. Sinew: all of "
                     "mj_forward (kinematics, inertia, its factor, bias forces, acceleration); the "
                     "inverse: all of mj_inverse. The best of 20 rounds of 500, processor time.",
                     &t);
}

// ---- command

int command_paper(int argc, char** argv) {
  static const struct {
    const char* name;
    int (*run)(const Paper* p);
  } kPapers[] = {{"2014-2", paper_correctness}, {"2014-3", paper_speed}, {"2010", paper_2010},
                 {"2011", paper_2011},          {"sdfast", paper_sdfast}, {"trajectory",
                                                                           paper_trajectory}};
  Paper p = {NULL, NULL, NULL};
  char output[200], command[600];
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "-o") || !strcmp(argv[i], "--output")) {
      if (i + 1 == argc) return wrong_usage("paper", "%s needs a file", argv[i]);
      p.output = argv[++i];
    } else if (p.name) {
      return wrong_usage("paper", "one name at a time, got '%s' too", argv[i]);
    } else {
      p.name = argv[i];
    }
  }
  if (!p.name) return wrong_usage("paper", "which one?");
  if (p.output) {
    snprintf(command, sizeof command, "sinew paper %.100s -o %.400s", p.name, p.output);
  } else {
    snprintf(command, sizeof command, "sinew paper %.100s", p.name);
    snprintf(output, sizeof output, "paper-%.100s.html", p.name);
    p.output = output;
  }
  p.command = command;
  for (size_t i = 0; i < sizeof kPapers / sizeof kPapers[0]; i++) {
    if (!strcmp(p.name, kPapers[i].name)) return kPapers[i].run(&p);
  }
  return wrong_usage("paper",
                     "'%s' is none of 2014-2, 2014-3, 2010, 2011, sdfast, trajectory", p.name);
}
