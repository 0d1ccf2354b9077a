// Trajectory optimization by inverse dynamics (the talk of 2011): a hand turns a ball.
//
//   min over q_1 .. q_T of  sum_t |r(q_t, v_t, u_t)|^2,   u_t = inverse(q_t, v_t, a_t)
//   v_t = (q_t - q_{t-1}) / h,   a_t = (v_{t+1} - v_t) / h
//
// Positions are the only unknowns; contact forces and torques follow from the analytic inverse of
// 2014. Forces on the ball that no contact gives are no torques of the hand: they are penalized ever
// more. The Hessian of Gauss and Newton is banded, since a force depends on three positions.
#include <math.h>
#include <sinew/solver.h>
#include <stdlib.h>
#include <string.h>

#include "paper.h"
#include "picture.h"
#include "trajectory.h"

enum { KNOTS = 50, FINGERS = 3, ITERATIONS = 80 };
#define TURN 0.6     // rad, about the vertical
#define RADIUS 0.04  // of the ball (m)

// Fingers of three hinges stand around a ball on a small palm and touch it at its sides. Contacts
// are soft and reach out by a margin, since a contact that begins with some velocity begins with a
// force, and such a step stops the descent.
static void hand_text(char* xml, size_t room) {
  size_t at = (size_t)snprintf(
      xml, room,
      "<mujoco model='hand'><compiler angle='radian'/><option timestep='.02' cone='elliptic'/>"
      "<default><geom contype='0' conaffinity='0'/><pair condim='4' margin='.004' "
      "friction='1 1 .005 .0001 .0001'/><joint damping='.005' "
      "armature='.0005'/></default><worldbody><light pos='0 -1 2' dir='0 .4 -1'/>"
      "<geom type='plane' size='1 1 .1' rgba='.8 .8 .82 1'/>"
      "<geom name='palm' type='cylinder' size='.025 .05' pos='0 0 .05' rgba='.5 .5 .55 1'/>");
  for (int k = 0; k < FINGERS; k++) {
    double angle = 2 * M_PI * k / FINGERS;
    at += (size_t)snprintf(
        xml + at, room - at,
        "<body pos='%.6f %.6f .05' euler='0 0 %.6f'><joint name='swing%d' axis='0 0 1'/>"
        "<joint name='lean%d' axis='0 1 0'/>"
        "<geom type='capsule' size='.01' fromto='0 0 0 0 0 .06' rgba='.6 .65 .7 1'/>"
        "<body pos='0 0 .06'><joint name='bend%d' axis='0 1 0'/>"
        "<geom name='tip%d' type='capsule' size='.009' fromto='0 0 .012 -.045 0 .03' rgba='.85 .5 .25 1'/>"
        "</body></body>",
        0.094 * cos(angle), 0.094 * sin(angle), angle, k, k, k, k);
  }
  at += (size_t)snprintf(
      xml + at, room - at,
      "<body name='ball' pos='0 0 .14'><freejoint/><geom name='ball' size='.04' mass='.1' "
      "rgba='.3 .5 .8 1'/>"
      "<geom type='box' size='.006 .006 .006' pos='.025 0 .034' mass='0' "
      "rgba='1 .9 .2 1'/></body></worldbody><contact><pair geom1='ball' geom2='palm'/>"
      "<pair geom1='ball' geom2='tip0'/><pair geom1='ball' geom2='tip1'/>"
      "<pair geom1='ball' geom2='tip2'/></contact><actuator>");
  for (int k = 0; k < FINGERS; k++) {
    at += (size_t)snprintf(xml + at, room - at,
                           "<motor joint='swing%d'/><motor joint='lean%d'/><motor joint='bend%d'/>",
                           k, k, k);
  }
  snprintf(xml + at, room - at,
           "</actuator><custom><text name='sinew:solver' data='gpgs'/>"
           "<numeric name='sinew:kappa' data='.06'/><numeric name='sinew:epsilon' data='.1'/>"
           "</custom></mujoco>");
}

// ---- the problem

typedef struct Plan_ {
  const mjModel* m;
  mjData* d;
  int nv, nq, band;         // band: width of a row of the Hessian, 3 nv
  double orphan;            // weight of forces on the ball (1 / N)
  double* q;                // (KNOTS + 1) x nq, the first one given
  double* u;                // KNOTS x nv
  double *v, *a;            // nv
  double *Fq, *Fv, *Fa;     // nv x nv, row j by coordinate j
  double *H, *g, *step;     // banded (n x band), n, n; n = KNOTS nv
  double* trial;            // as q
} Plan;

static bool plan_open(Plan* p, const mjModel* m, mjData* d) {
  size_t nv = (size_t)m->nv, nq = (size_t)m->nq, n = KNOTS * nv;
  *p = (Plan){.m = m, .d = d, .nv = m->nv, .nq = m->nq, .band = 3 * m->nv};
  double* at = p->q = calloc(2 * (KNOTS + 1) * nq + KNOTS * nv + 2 * nv + 3 * nv * nv +
                                 n * 3 * nv + 2 * n + 1,
                             sizeof *at);
  if (!at) return false;
  p->trial = at += (KNOTS + 1) * nq;
  p->u = at += (KNOTS + 1) * nq;
  p->v = at += KNOTS * nv;
  p->a = at += nv;
  p->Fq = at += nv;
  p->Fv = at += nv * nv;
  p->Fa = at += nv * nv;
  p->H = at += nv * nv;
  p->g = at += n * 3 * nv;
  p->step = at += n;
  return true;
}

static const double* knot(const Plan* p, const double* q, int t) {
  return q + (size_t)p->nq * (size_t)(t < 0 ? 0 : t);
}

// The state of knot t in d, and the force it needs in p->u.
static void invert(Plan* p, const double* q, int t) {
  const mjModel* m = p->m;
  mjData* d = p->d;
  double h = m->opt.timestep;
  mj_differentiatePos(m, p->v, h, knot(p, q, t - 1), knot(p, q, t));
  mj_differentiatePos(m, p->a, h, knot(p, q, t), knot(p, q, t + 1));
  for (int i = 0; i < p->nv; i++) p->a[i] = (p->a[i] - p->v[i]) / h;
  mju_copy(d->qpos, knot(p, q, t), p->nq);
  mju_copy(d->qvel, p->v, p->nv);
  mju_copy(d->qacc, p->a, p->nv);
  mj_inverse(m, d);
  mju_copy(p->u + (size_t)t * p->nv, d->qfrc_inverse, p->nv);
}

// Torques on the ball count as forces at its surface.
static double force_weight(const Plan* p, int i) {
  if (i < 3 * FINGERS) return 3;
  return i < 3 * FINGERS + 3 ? p->orphan : p->orphan / RADIUS;
}

// Errors of the ball's pose at knot t: residuals, and their weights.
static void pose_error(const Plan* p, const double* q, int t, double error[6], double weight[6]) {
  const double *pos = knot(p, q, t) + 3 * FINGERS, *first = p->q + 3 * FINGERS;
  double phase = (double)t / KNOTS, smooth = phase * phase * (3 - 2 * phase);
  double half = atan2(first[6], first[3]) + 0.5 * TURN * smooth;
  double goal[4] = {cos(half), 0, 0, sin(half)}, turn[3];
  mju_subQuat(turn, pos + 3, goal);
  for (int k = 0; k < 3; k++) {
    error[k] = pos[k] - first[k];
    error[3 + k] = turn[k];
    weight[k] = 1000;
    weight[3 + k] = 30;
  }
}

static double cost(Plan* p, const double* q) {
  double sum = 0, error[6], weight[6];
  for (int t = 0; t < KNOTS; t++) {
    invert(p, q, t);
    for (int i = 0; i < p->nv; i++) {
      double r = force_weight(p, i) * p->u[(size_t)t * p->nv + i];
      sum += 0.5 * r * r;
    }
  }
  for (int t = 1; t <= KNOTS; t++) {
    pose_error(p, q, t, error, weight);
    for (int k = 0; k < 6; k++) sum += 0.5 * weight[k] * weight[k] * error[k] * error[k];
  }
  return sum;
}

// H and g of variable (knot, coordinate); knot 0 is given.
static void add_hessian(Plan* p, int ti, int i, int tj, int j, double value) {
  if (ti < 1 || tj < 1) return;
  int row = (ti - 1) * p->nv + i, col = (tj - 1) * p->nv + j;
  if (col <= row) p->H[(size_t)row * p->band + (row - col)] += value;
}

// Gauss and Newton: the force of knot t depends on the positions of t - 1, t and t + 1.
static void linearize(Plan* p) {
  int nv = p->nv;
  double h = p->m->opt.timestep, error[6], weight[6];
  double* J = malloc(3 * (size_t)nv * sizeof *J);
  memset(p->H, 0, sizeof(double) * (size_t)KNOTS * nv * p->band);
  memset(p->g, 0, sizeof(double) * (size_t)KNOTS * nv);
  for (int t = 0; J && t < KNOTS; t++) {
    invert(p, p->q, t);
    mjd_inverseFD(p->m, p->d, 1e-6, 0, p->Fq, p->Fv, p->Fa, NULL, NULL, NULL, NULL);
    for (int i = 0; i < nv; i++) {
      double w = force_weight(p, i), r = w * p->u[(size_t)t * nv + i];
      for (int j = 0; j < nv; j++) {
        double q = p->Fq[j * nv + i], v = p->Fv[j * nv + i] / h, a = p->Fa[j * nv + i] / (h * h);
        J[j] = w * (a - v);
        J[nv + j] = w * (q + v - 2 * a);
        J[2 * nv + j] = w * a;
        if (t == 0) J[nv + j] += J[j], J[j] = 0;  // the knot before the first is the first
      }
      for (int x = 0; x < 3 * nv; x++) {
        int tx = t - 1 + x / nv;
        if (tx < 1 || J[x] == 0) continue;
        p->g[(tx - 1) * nv + x % nv] += J[x] * r;
        for (int y = 0; y <= x; y++) add_hessian(p, tx, x % nv, t - 1 + y / nv, y % nv, J[x] * J[y]);
      }
    }
  }
  for (int t = 1; t <= KNOTS; t++) {
    pose_error(p, p->q, t, error, weight);
    for (int k = 0; k < 6; k++) {
      int i = 3 * FINGERS + k;
      add_hessian(p, t, i, t, i, weight[k] * weight[k]);
      p->g[(t - 1) * nv + i] += weight[k] * weight[k] * error[k];
    }
  }
  free(J);
}

// step = -inv(H + lambda diag(H)) g by a banded Cholesky factorization; H stays, L is scratch.
static bool solve_banded(const Plan* p, double lambda, double* L) {
  int n = KNOTS * p->nv, band = p->band;
  memcpy(L, p->H, sizeof(double) * (size_t)n * band);
  for (int i = 0; i < n; i++) {
    L[(size_t)i * band] += lambda * (L[(size_t)i * band] + 1e-6);
    int low = i - band + 1 > 0 ? i - band + 1 : 0;
    for (int j = low; j <= i; j++) {
      double sum = L[(size_t)i * band + (i - j)];
      int from = low > j - band + 1 ? low : j - band + 1;
      for (int k = from; k < j; k++) {
        sum -= L[(size_t)i * band + (i - k)] * L[(size_t)j * band + (j - k)];
      }
      if (i == j && !(sum > 0)) return false;
      L[(size_t)i * band + (i - j)] = i == j ? sqrt(sum) : sum / L[(size_t)j * band];
    }
  }
  double* x = p->step;
  for (int i = 0; i < n; i++) {
    x[i] = -p->g[i];
    for (int k = i - band + 1 > 0 ? i - band + 1 : 0; k < i; k++) {
      x[i] -= L[(size_t)i * band + (i - k)] * x[k];
    }
    x[i] /= L[(size_t)i * band];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n && k < i + band; k++) x[i] -= L[(size_t)k * band + (k - i)] * x[k];
    x[i] /= L[(size_t)i * band];
  }
  return true;
}

// Levenberg and Marquardt; returns the iterations made.
static int optimize(Plan* p, double* L, double* lambda, double* value) {
  int done = 0, still = 0;
  *value = cost(p, p->q);
  for (; done < ITERATIONS; done++) {
    double before = *value, now = INFINITY;
    linearize(p);
    for (int tries = 0; tries < 16; tries++) {
      if (solve_banded(p, *lambda, L)) {
        memcpy(p->trial, p->q, sizeof(double) * (size_t)(KNOTS + 1) * p->nq);
        for (int t = 1; t <= KNOTS; t++) {
          mj_integratePos(p->m, p->trial + (size_t)t * p->nq, p->step + (size_t)(t - 1) * p->nv, 1);
        }
        now = cost(p, p->trial);
      }
      if (now < before) break;
      *lambda *= 4;
    }
    if (!(now < before)) break;
    memcpy(p->q, p->trial, sizeof(double) * (size_t)(KNOTS + 1) * p->nq);
    *value = now;
    *lambda = fmax(1e-9, *lambda / 3);
    still = before - now < 1e-4 * before ? still + 1 : 0;
    if (still == 5) break;
  }
  cost(p, p->q);  // u of the result
  return done;
}

// ---- results

// The largest force on the ball that nothing gives, torques as forces at its surface, and the largest torque of the hand.
static void largest_forces(const Plan* p, double* orphan, double* torque) {
  *orphan = *torque = 0;
  for (int t = 0; t < KNOTS; t++) {
    for (int i = 0; i < p->nv; i++) {
      double* most = i < 3 * FINGERS ? torque : orphan;
      double u = fabs(p->u[(size_t)t * p->nv + i]);
      *most = fmax(*most, i < 3 * FINGERS + 3 ? u : u / RADIUS);
    }
  }
}

// By how much the ball has turned about the vertical since the first knot.
static double angle_of(const Plan* p, const double* q) {
  const double* first = p->q + 3 * FINGERS;
  return 2 * (atan2(q[3 * FINGERS + 6], q[3 * FINGERS + 3]) - atan2(first[6], first[3]));
}

// The torques played forward from the start, with a weak spring to the planned joint angles: the
// angle that the ball reaches.
static double play(const Plan* p, double* angle) {
  const mjModel* m = p->m;
  mjData* d = p->d;
  mj_resetData(m, d);
  mju_copy(d->qpos, p->q, p->nq);
  for (int t = 0; t < KNOTS; t++) {
    const double* plan = knot(p, p->q, t);
    for (int i = 0; i < 3 * FINGERS; i++) {
      d->ctrl[i] = p->u[(size_t)t * p->nv + i] + 0.5 * (plan[i] - d->qpos[i]);
    }
    mj_step(m, d);
    angle[t] = angle_of(p, d->qpos);
  }
  return angle[KNOTS - 1];
}

static bool write_motion(Plan* p, const char* path) {
  Trajectory motion;
  bool good = true;
  trajectory_init(&motion, p->m);
  for (int t = 0; good && t < KNOTS; t++) {
    double* row = trajectory_add(&motion);
    good = row != NULL;
    if (!good) break;
    invert(p, p->q, t);
    row[0] = t * p->m->opt.timestep;
    memcpy(row += 1, knot(p, p->q, t), sizeof(double) * (size_t)p->nq);
    memcpy(row += p->nq, p->v, sizeof(double) * (size_t)p->nv);
    memcpy(row += p->nv, p->u + (size_t)t * p->nv, sizeof(double) * 3 * FINGERS);
    memcpy(row += 3 * FINGERS, p->a, sizeof(double) * (size_t)p->nv);
    memcpy(row += p->nv, p->u + (size_t)t * p->nv, sizeof(double) * (size_t)p->nv);
  }
  good = good && trajectory_write(&motion, path);
  trajectory_free(&motion);
  return good;
}

static bool draw_motion(const Plan* p, FILE* f, const char* path) {
  Studio studio = {0};
  Picture picture = {0};
  char caption[40];
  bool good = studio_open(&studio, "paper", p->m, NULL, 960, 520) && picture_make(&picture, 960, 520);
  if (good) {
    studio.camera.type = mjCAMERA_FREE;
    studio.camera.lookat[2] = 0.12;
    studio.camera.distance = 0.42;
    studio.camera.elevation = -55;
    studio.fitted = true;
  }
  for (int i = 0; good && i < 6; i++) {
    int t = i * KNOTS / 5;
    mju_copy(p->d->qpos, knot(p, p->q, t), p->nq);
    mj_forward(p->m, p->d);
    snprintf(caption, sizeof caption, "%.2f s", t * p->m->opt.timestep);
    studio_draw(&studio, p->d, studio_part(&studio, i, 6, 3), caption);
  }
  if (good) studio_read(&studio, &picture);
  good = good && picture_save(&picture, path) && page_picture(f, path, "Six moments of the motion");
  picture_free(&picture);
  studio_close(&studio);
  return good;
}

static void plot_motion(const Plan* p, FILE* f, const double* played) {
  double x[KNOTS + 1], planned[KNOTS + 1];
  for (int t = 0; t <= KNOTS; t++) {
    x[t] = t * p->m->opt.timestep;
    planned[t] = angle_of(p, knot(p, p->q, t));
  }
  Axes a = {0, x[KNOTS], -0.1, 1.2 * TURN, false, false, false, 560, 240, "Angle of the ball",
            "time (s)", "angle about the vertical (rad)"};
  Label label[2] = {{planned[KNOTS], "planned", "#222"}, {played[KNOTS - 1], "played", "#e67e22"}};
  plot_begin(f, &a);
  plot_curve(f, &a, x, planned, KNOTS + 1, "#222", NULL, false, "planned");
  plot_curve(f, &a, x + 1, played, KNOTS, "#e67e22", "5 4", false, "played");
  plot_end(f, &a, label, 2);
}

static bool write_page(const Paper* paper, Plan* p, int iterations, double seconds) {
  char motion[600], picture[600];
  double orphan, torque, played[KNOTS];
  int stem = (int)strlen(paper->output) - (ends_with(paper->output, ".html") ? 5 : 0);
  snprintf(motion, sizeof motion, "%.*s.npz", stem > 500 ? 500 : stem, paper->output);
  snprintf(picture, sizeof picture, "%.*s.png", stem > 500 ? 500 : stem, paper->output);
  largest_forces(p, &orphan, &torque);
  double planned = angle_of(p, knot(p, p->q, KNOTS)), reached = play(p, played);
  FILE* f = page_open(paper->output, "A hand turns a ball: optimization by inverse dynamics");
  if (!f) return false;
  page_origin(f, paper->command);
  fprintf(f,
          "<p>Positions of a hand with %d joints and of a ball at %d times, %g s apart, are found so "
          "that the ball turns by %g rad; torques and contact forces follow from the analytic "
          "inverse of the 2014 model. Nothing is simulated on the way.</p><ul>"
          "<li>%d iterations of Levenberg and Marquardt, %.1f s of processor time.</li>"
          "<li>The ball turns by %.3f rad; the largest torque of the hand is %.3f N m.</li>"
          "<li>The largest force on the ball that no contact gives is %.1e N (its weight is %.2f "
          "N).</li><li>Played forward from the start, with a spring of 0.5 N m/rad to the planned "
          "joint angles, the torques turn the ball by %.3f rad.</li><li>The motion is in <code>%s</code>.</li></ul>\n",
          3 * FINGERS, KNOTS, p->m->opt.timestep, TURN, iterations, seconds, planned, torque, orphan,
          9.81 * 0.1, reached, motion);
  plot_motion(p, f, played);
  bool good = draw_motion(p, f, picture) && write_motion(p, motion);
  good = page_close(f, paper->output) && good;
  printf("%d iterations, %.1f s; the ball turns by %.3f rad, played forward by %.3f\n", iterations,
         seconds, planned, reached);
  printf("force on the ball that no contact gives: at most %.2g N of %.2f N weight\n", orphan,
         9.81 * 0.1);
  if (good) printf("%s, %s\n", paper->output, motion);
  return good;
}

// Swing of a finger whose tip stands at this angle around the ball, by bisection.
static double swing_to(double azimuth) {
  const double base = 0.094, reach = 0.045;
  double low = -1, high = 1;
  for (int i = 0; i < 60; i++) {
    double mid = 0.5 * (low + high);
    *(atan2(-reach * sin(mid), base - reach * cos(mid)) > azimuth ? &low : &high) = mid;
  }
  return low;
}

// The hand closes on the ball, turned back by half of the angle, and comes to rest: where the motion
// begins. From there the ball turns and fingertips go along, leant in so that they stay on its
// surface; a fingertip that slides would feel no gradient.
static void first_guess(Plan* p) {
  enum { kTip = 3, kBall = 2 + 2 * FINGERS };  // geoms
  const double rise = 0.09, begin = -0.5 * TURN, rest[3] = {swing_to(begin), -0.2, -0.05};
  const mjModel* m = p->m;
  mjData* d = p->d;
  double gap[FINGERS];
  mj_resetData(m, d);
  for (int i = 0; i < 400; i++) {
    for (int k = 0; k < 3 * FINGERS; k++) {
      d->ctrl[k] = rest[k % 3] - d->qpos[k] - 0.03 * d->qvel[k];
    }
    mj_step(m, d);
  }
  double first = 2 * atan2(d->qpos[3 * FINGERS + 6], d->qpos[3 * FINGERS + 3]);
  for (int t = 0; t <= KNOTS; t++) {
    double* q = p->q + (size_t)t * p->nq;
    double phase = (double)t / KNOTS, turn = TURN * phase * phase * (3 - 2 * phase);
    mju_copy(q, t ? q - p->nq : d->qpos, p->nq);
    q[3 * FINGERS + 3] = cos(0.5 * (first + turn));
    q[3 * FINGERS + 6] = sin(0.5 * (first + turn));
    for (int k = 0; t && k < FINGERS; k++) {
      q[3 * k] = p->q[3 * k] + swing_to(begin + turn) - swing_to(begin);
    }
    for (int i = 0; i < 20; i++) {
      mju_copy(d->qpos, q, p->nq);
      mj_fwdPosition(m, d);
      for (int k = 0; k < FINGERS; k++) {
        double now = mj_geomDistance(m, d, kTip + 2 * k, kBall, 1, NULL);
        if (t == 0) gap[k] = now;
        q[3 * k + 1] -= 0.5 * (now - gap[k]) / rise;
      }
    }
  }
}

int paper_trajectory(const Paper* paper) {
  static const double kOrphan[] = {1, 3, 10, 30, 100, 300, 1000, 3000};
  char* xml = malloc(16000);
  if (xml) hand_text(xml, 16000);
  mjModel* m = xml ? text_model(xml) : NULL;
  mjData* d = m ? mj_makeData(m) : NULL;
  Plan p = {.q = NULL};
  bool good = d && plan_open(&p, m, d);
  double* L = good ? malloc(sizeof(double) * (size_t)KNOTS * m->nv * p.band) : NULL;
  double start = core_time();
  int iterations = 0;
  good = good && L;
  if (good) first_guess(&p);
  double lambda = 1e-3, value;
  for (int i = 0; good && i < 8; i++) {
    p.orphan = kOrphan[i];
    lambda = 1e-3;
    iterations += optimize(&p, L, &lambda, &value);
  }
  good = good && write_page(paper, &p, iterations, core_time() - start);
  free(L);
  free(p.q);
  free(xml);
  mj_deleteData(d);
  mj_deleteModel(m);
  return good ? 0 : 1;
}
