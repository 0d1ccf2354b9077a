// Optimal control (sinew/control.py): what iLQG does step by step, roll-outs with feedback and the
// recursion of the value function.
#include <base/lanes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "pool.h"

// ---- roll-outs

// Trajectories that take parts of a change of the controls, a row each.
typedef struct Roll_ {
  int horizon;
  bool compute_end;  // the readings of the last state too
  const mjtNum *start, *parts, *ctrl, *change;
  const mjtNum *gain, *near;  // feedback to a trajectory, or NULL
  const mjtNum *low, *high;
  mjtNum *state, *sensordata;  // rows x (horizon + 1)
} Roll;

// u = ctrl + part change - gain (x - near), inside the limits
static void roll_control(const Roll* r, const mjModel* m, mjData* d, int t, mjtNum part,
                         mjtNum* dx) {
  int nu = m->nu, nv = m->nv, na = m->na, nx = 2 * nv + na;
  if (r->gain) {
    // an integration state begins with time, positions, velocities and activations
    const mjtNum* qpos = r->near + (size_t)t * (size_t)mj_stateSize(m, mjSTATE_INTEGRATION) + 1;
    mj_differentiatePos(m, dx, 1, qpos, d->qpos);
    mju_sub(dx + nv, d->qvel, qpos + m->nq, nv);
    mju_sub(dx + 2 * nv, d->act, qpos + m->nq + nv, na);
  }
  for (int i = 0; i < nu; i++) {
    size_t at = (size_t)t * (size_t)nu + (size_t)i;
    mjtNum u = r->ctrl[at] + part * r->change[at];
    if (r->gain) u -= mju_dot(r->gain + at * (size_t)nx, dx, nx);
    d->ctrl[i] = mju_clip(u, r->low[i], r->high[i]);
  }
}

static void roll_row(Work* w, int row, int worker) {
  const Roll* r = w->more;
  const mjModel* m = w->models[0];
  mjData* d = w->datas[worker];
  size_t ns = (size_t)m->nsensordata, nstate = (size_t)w->nstate;
  size_t at = (size_t)row * (size_t)(r->horizon + 1);
  // where the last state goes is free until then: room for x - near
  mjtNum* state = r->state + at * nstate;
  mjtNum* dx = state + (size_t)r->horizon * nstate;
  for (int i = 0; i < mjNWARNING; i++) d->warning[i].number = 0;
  mj_setState(m, d, r->start, mjSTATE_INTEGRATION);
  for (int t = 0; t < r->horizon; t++) {
    if (work_stopped(w, worker)) return;
    roll_control(r, m, d, t, r->parts[row], dx);
    mj_getState(m, d, state + (size_t)t * nstate, mjSTATE_INTEGRATION);
    mj_step(m, d);
    memcpy(r->sensordata + (at + (size_t)t) * ns, d->sensordata, ns * sizeof(mjtNum));
    if (warned_bad(d) || d->warning[mjWARN_BADCTRL].number) {
      work_bad(w, row, "bad numbers");
      return;
    }
  }
  mj_getState(m, d, dx, mjSTATE_INTEGRATION);
  if (!r->compute_end) return;
  mj_forward(m, d);
  memcpy(r->sensordata + (at + (size_t)r->horizon) * ns, d->sensordata, ns * sizeof(mjtNum));
}

static PyObject* roll(PyObject* self, PyObject* args) {
  PyObject *capsule, *o[10], *result = NULL;
  int compute_end;
  Roll r = {.horizon = 0};
  if (!PyArg_ParseTuple(args, "OipOOOOOOOOOO", &capsule, &r.horizon, &compute_end, &o[0], &o[1],
                        &o[2], &o[3], &o[4], &o[5], &o[6], &o[7], &o[8], &o[9]))
    return NULL;
  const Batch* b = PyCapsule_GetPointer(capsule, BATCH);
  if (!b) return NULL;
  Work w = b->work;
  const mjModel* m = w.models[0];
  Py_ssize_t rows = PyObject_Length(o[1]), T = r.horizon, nu = m->nu, nx = 2 * m->nv + m->na;
  if (rows < 0) return NULL;
  if (T < 1 || rows > INT_MAX) {
    PyErr_Format(PyExc_ValueError, "_control_roll: a horizon of %zd and %zd rows", T, rows);
    return NULL;
  }
  const Py_ssize_t size[10] = {w.nstate,
                               rows,
                               T * nu,
                               T * nu,
                               T * nu * nx,
                               (T + 1) * w.nstate,
                               nu,
                               nu,
                               rows * (T + 1) * w.nstate,
                               rows * (T + 1) * m->nsensordata};
  Arrays a = {.count = 0};
  bool good = true;
  for (int i = 0; i < 10 && good; i++) good = arrays_add(&a, o[i], size[i], i > 7);
  for (int i = 0; i < 10 && good; i++) good = a.p[i] || ((i == 4 || i == 5) && !a.p[4] && !a.p[5]);
  if (!good && !PyErr_Occurred())
    PyErr_SetString(PyExc_TypeError, "_control_roll: None is not an array");
  if (good) {
    r.compute_end = compute_end;
    r.start = a.p[0], r.parts = a.p[1], r.ctrl = a.p[2], r.change = a.p[3];
    r.gain = a.p[4], r.near = a.p[5], r.low = a.p[6], r.high = a.p[7];
    r.state = a.p[8], r.sensordata = a.p[9];
    w.more = &r;
    w.run = roll_row;
    w.rows = (int)rows;
    result = work_do(&w, w.ndata);
  }
  arrays_release(&a);
  return result;
}

// ---- the recursion of the value function

enum { TILE = 8 };    // columns of a product at once
enum { BLOCK = 16 };  // numbers of a row in registers: as many sums as hide the latency of one

// to[j] -= sum over k of a[k step] rows[k width + j]; rows are as wide as whole blocks
SN_KERNEL static void back_subtract(mjtNum* to, int n, const mjtNum* a, int step,
                                    const mjtNum* rows, int count, int width) {
  for (int j = 0; j < n; j += BLOCK) {
    sn4 sum[BLOCK / 4] = {{0}};
    for (int k = 0; k < count; k++) {
      const mjtNum* row = rows + k * width + j;
      SN_UNROLL
      for (int l = 0; l < BLOCK / 4; l++) sum[l] += a[k * step] * sn4_load(row + 4 * l);
    }
    mjtNum total[BLOCK];
    memcpy(total, sum, sizeof total);
    int some = n - j < BLOCK ? n - j : BLOCK;
    for (int l = 0; l < some; l++) to[j + l] -= total[l];
  }
}

// One step. With F = [A B], Q = curve + F'V F of state and control, g = slope + F'V_x; over the
// changes that the limits leave free
//   H = Quu + mu I, k = argmin k'H k / 2 + k'Qu, K = inv(H) Qux
//   Vx = Qx - K'(Quu k + Qu) + Qux'k,  Vxx = Qxx - K'(Qux + mu K)
typedef struct Back_ {
  int nx, nu;
  mjtNum regularizer;
  mjtNum *Q, *g, *Vxx, *Vx;
  const mjtNum *low, *high, *ctrl;
  mjtNum *k, *K;
  // scratch: rows of `width` numbers, the first nx of which count
  int width;
  mjtNum *H, *R, *lower, *upper, *X, *P, *Kt;
  int* index;
  // of the products: rows of F that count, and others, in whole blocks of columns
  int kept, columns;
  mjtNum *F, *W, *VF, *U;
  int *row, *place;  // row of F of each kept one; of each row, where it is kept, or -1
} Back;

static bool back_allot(Back* b) {
  size_t nu = (size_t)b->nu, nx = (size_t)b->nx, nz = nx + nu;
  b->width = (b->nx + BLOCK - 1) / BLOCK * BLOCK;
  b->columns = (b->nx + b->nu + TILE - 1) / TILE * TILE;
  size_t rows = nu * (size_t)b->width, wide = (size_t)b->columns;
  const struct {
    mjtNum** array;
    size_t count;
  } part[] = {
      {&b->H, nu * nu},       {&b->R, nu * (nu + 7)}, {&b->lower, nu},           {&b->upper, nu},
      {&b->X, rows},          {&b->P, rows},          {&b->Kt, nx * nu},         {&b->F, nx * wide},
      {&b->W, (nx + 1) * nx}, {&b->U, nx * wide},     {&b->VF, (nx + 1) * wide}, {&b->Q, nz * nz},
      {&b->Vxx, nx * nx + nx}};
  size_t count = 0;
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) count += part[i].count;
  mjtNum* at = calloc(count + nu + nx, sizeof(mjtNum));
  if (!at) return PyErr_NoMemory(), false;
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    *part[i].array = at;
    at += part[i].count;
  }
  b->Vx = b->Vxx + nx * nx;
  b->index = (int*)at;
  b->row = b->index + nu;
  b->place = b->row + nx;
  return true;
}

// ---- its two products

// to = A B, A given by its strides: in tiles of 4 x 8 sums in registers. Rows before `square` need
// no more than what is left of the diagonal.
SN_KERNEL static void back_product(mjtNum* to, int width, int rows, int columns, const mjtNum* a,
                                   int by_row, int by_k, int n, const mjtNum* b, int stride,
                                   int square) {
  for (int i = 0; i < rows; i += 4) {
    int most = i + 4 <= square && i + 4 < columns ? i + 4 : columns, left = rows - i - 1;
    const mjtNum *a0 = a + i * by_row, *a1 = a0 + (left > 0 ? 1 : 0) * by_row,
                 *a2 = a0 + (left > 1 ? 2 : 0) * by_row, *a3 = a0 + (left > 2 ? 3 : 0) * by_row;
    for (int j = 0; j < most; j += TILE) {
      sn4 sum[4][2] = {{{0}}};
      for (int k = 0; k < n; k++) {
        sn4 low = sn4_load(b + k * stride + j), high = sn4_load(b + k * stride + j + 4);
        const mjtNum x[4] = {a0[k * by_k], a1[k * by_k], a2[k * by_k], a3[k * by_k]};
        SN_UNROLL
        for (int r = 0; r < 4; r++) sum[r][0] += x[r] * low, sum[r][1] += x[r] * high;
      }
      int some = columns - j < TILE ? columns - j : TILE;
      for (int r = 0; r < 4 && i + r < rows; r++) {
        mjtNum row[TILE];
        memcpy(row, sum[r], sizeof row);
        memcpy(to + (i + r) * width + j, row, (size_t)some * sizeof(mjtNum));
      }
    }
  }
}

// Does a position follow its velocity, q' = q + h v': is its row of F that of the velocity times h,
// and one on the diagonal?
static bool back_follows(const mjtNum* A, const mjtNum* B, int nx, int nu, int q, int v, mjtNum h) {
  const mjtNum *a = A + q * nx, *b = B + q * nu, *av = A + v * nx, *bv = B + v * nu;
  mjtNum off = 0, most = 1;
  for (int j = 0; j < nx; j++) {
    off = mju_max(off, mju_abs(a[j] - h * av[j] - (j == q)));
    most = mju_max(most, mju_abs(a[j]));
  }
  for (int j = 0; j < nu; j++) off = mju_max(off, mju_abs(b[j] - h * bv[j]));
  return off < 1e-12 * most;
}

// Q = F'V F and g = F'V_x, with Q's rows of states as far as the diagonal. Positions that follow
// their velocities, e + h F_v, are left out of the products: their part of V goes to the velocity.
static void back_products(Back* b, const mjtNum* A, const mjtNum* B, int nv, mjtNum h) {
  int nx = b->nx, nu = b->nu, nz = nx + nu, wide = b->columns;
  b->kept = 0;
  for (int r = 0; r < nx; r++) {
    b->place[r] = -1;
    if (r < nv && back_follows(A, B, nx, nu, r, nv + r, h)) continue;
    mjtNum* row = b->F + b->kept * wide;
    mju_copy(row, A + r * nx, nx);
    mju_copy(row + nx, B + r * nu, nu);
    b->row[b->kept] = r;
    b->place[r] = b->kept++;
  }
  int n = b->kept;
  for (int i = 0; i <= nx; i++) {
    const mjtNum* V = b->Vxx + i * nx;
    mjtNum* W = b->W + i * n;
    for (int k = 0; k < n; k++) W[k] = V[b->row[k]];
    for (int r = 0; r < nv; r++) {
      if (b->place[r] < 0) W[b->place[nv + r]] += h * V[r];
    }
  }
  back_product(b->VF, wide, nx + 1, nz, b->W, n, 1, n, b->F, wide, 0);
  for (int i = 0; i <= nx; i++) {
    for (int r = 0; r < nv; r++) {
      if (b->place[r] < 0) b->VF[i * wide + r] += b->Vxx[i * nx + r];
    }
  }
  for (int k = 0; k < n; k++) mju_copy(b->U + k * wide, b->VF + b->row[k] * wide, nz);
  for (int r = 0; r < nv; r++) {
    if (b->place[r] < 0) mju_addToScl(b->U + b->place[nv + r] * wide, b->VF + r * wide, h, nz);
  }
  back_product(b->Q, nz, nz, nz, b->F, 1, wide, n, b->U, wide, nx);
  for (int r = 0; r < nv; r++) {
    if (b->place[r] < 0) mju_addTo(b->Q + r * nz, b->VF + r * wide, nz);
  }
  b->g = b->VF + nx * wide;
}

// inv(H) Qux for the free rows: the triangles of R, which mju_boxQP leaves, forth and back
static void back_gain(const Back* b, int free, mjtNum mu) {
  int nx = b->nx, nz = nx + b->nu, width = b->width;
  for (int i = 0; i < free; i++) {
    mjtNum* row = b->X + i * width;
    mju_copy(row, b->Q + (nx + b->index[i]) * nz, nx);
    back_subtract(row, nx, b->R + i * free, 1, b->X, i, width);
    mju_scl(row, row, 1 / b->R[i * free + i], nx);
  }
  for (int i = free - 1; i >= 0; i--) {
    mjtNum* row = b->X + i * width;
    back_subtract(row, nx, b->R + (i + 1) * free + i, free, row + width, free - 1 - i, width);
    mju_scl(row, row, 1 / b->R[i * free + i], nx);
    mju_copy(b->K + b->index[i] * nx, row, nx);
    mju_addScl(b->P + i * width, b->Q + (nx + b->index[i]) * nz, row, mu, nx);
    for (int j = 0; j < nx; j++) b->Kt[j * free + i] = row[j];
  }
}

// The improvement that the quadratic model expects, or a negative number when H is not positive.
static mjtNum back_step(const Back* b) {
  int nx = b->nx, nu = b->nu, nz = nx + nu;
  const mjtNum *Qu = b->g + nx, *Quu = b->Q + nx * nz + nx;
  mjtNum most = 0, expected = 0;
  for (int i = 0; i < nu; i++) most = mju_max(most, mju_abs(Quu[i * nz + i]));
  mjtNum mu = b->regularizer * (1 + most);
  for (int i = 0; i < nu; i++) {
    mju_copy(b->H + i * nu, Quu + i * nz, nu);
    b->H[i * nu + i] += mu;
    b->lower[i] = b->low[i] - b->ctrl[i];
    b->upper[i] = b->high[i] - b->ctrl[i];
  }
  mju_zero(b->k, nu);
  mju_zero(b->K, nu * nx);
  int free = mju_boxQP(b->k, b->R, b->index, b->H, Qu, nu, b->lower, b->upper);
  if (free < 0) return -1;
  back_gain(b, free, mu);
  mju_copy(b->Vx, b->g, nx);
  for (int i = 0; i < nu; i++) {
    mjtNum slope = mju_dot(Quu + i * nz, b->k, nu);
    expected -= b->k[i] * (Qu[i] + 0.5 * slope);
    mju_addToScl(b->Vx, b->K + i * nx, -(slope + Qu[i]), nx);
    mju_addToScl(b->Vx, b->Q + (nx + i) * nz, b->k[i], nx);
  }
  for (int i = 0; i < nx; i++) {
    mjtNum* row = b->Vxx + i * nx;
    mju_copy(row, b->Q + i * nz, i + 1);
    back_subtract(row, i + 1, b->Kt + i * free, 1, b->P, free, b->width);
    for (int j = 0; j < i; j++) b->Vxx[j * nx + i] = row[j];
  }
  return mju_max(0, expected);
}

// The whole recursion, from the end to the beginning; the improvement to expect, or a negative
// number.
static mjtNum back_all(Back* b, Py_ssize_t T, int nv, mjtNum h, mjtNum* const* p) {
  size_t nx = (size_t)b->nx, nu = (size_t)b->nu, nz = nx + nu;
  mjtNum expected = 0;
  for (size_t i = 0; i < nx; i++) {
    mju_copy(b->Vxx + i * nx, p[3] + (size_t)T * nz * nz + i * nz, b->nx);
  }
  mju_copy(b->Vx, p[2] + (size_t)T * nz, b->nx);
  for (size_t t = (size_t)T; t-- > 0;) {
    back_products(b, p[0] + t * nx * nx, p[1] + t * nx * nu, nv, h);
    mju_addTo(b->g, p[2] + t * nz, (int)nz);
    mju_addTo(b->Q, p[3] + t * nz * nz, (int)(nz * nz));
    b->ctrl = p[6] + t * nu, b->k = p[7] + t * nu, b->K = p[8] + t * nu * nx;
    mjtNum gained = back_step(b);
    if (gained < 0) return -1;
    expected += gained;
  }
  return expected;
}

// Arguments: nv, regularizer, time step; A, B, of the whole trajectory slope and curve of the cost,
// limits, ctrl, change, gain
static PyObject* back(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  if (count != 12)
    return PyErr_Format(PyExc_TypeError, "_control_back takes 12 arguments, not %zd", count);
  Py_ssize_t nv = PyLong_AsSsize_t(args[0]), nu = PyObject_Length(args[7]), T, nx;
  Back b = {.regularizer = PyFloat_AsDouble(args[1])};
  mjtNum h = PyFloat_AsDouble(args[2]);
  if (nu < 0 || (T = PyObject_Length(args[10])) < 0 || PyErr_Occurred()) return NULL;
  PyObject* first = T ? PySequence_GetItem(args[3], 0) : NULL;
  nx = first ? PyObject_Length(first) : -1;
  Py_XDECREF(first);
  if (PyErr_Occurred()) return NULL;
  if (T < 1 || nu < 1 || nv < 0 || nx < 2 * nv || nx + nu > INT_MAX / (nx + nu + 1)) {
    PyErr_SetString(PyExc_ValueError, "_control_back: sizes of no trajectory");
    return NULL;
  }
  Py_ssize_t nz = nx + nu;
  const Py_ssize_t size[9] = {
      (T + 1) * nx * nx, (T + 1) * nx * nu, (T + 1) * nz, (T + 1) * nz * nz, nu, nu, T * nu, T * nu,
      T * nu * nx};
  PyObject* volatile result = NULL;
  Arrays a = {.count = 0};
  bool good = true;
  for (int i = 0; i < 9 && good; i++) good = arrays_add(&a, args[3 + i], size[i], i > 6) && a.p[i];
  if (good) {
    b.nx = (int)nx, b.nu = (int)nu;
    b.low = a.p[4], b.high = a.p[5];
    if (back_allot(&b)) {
      volatile mjtNum expected = -1;
      Guard g;
      guard_enter(&g, NULL, 0);
      if (!SYSTEM_SETJMP(g.place)) expected = back_all(&b, T, (int)nv, h, a.p);
      if (guard_leave(&g))
        result = expected < 0 ? Py_NewRef(Py_None) : PyFloat_FromDouble(expected);
      free(b.H);
    }
  } else if (!PyErr_Occurred()) {
    PyErr_SetString(PyExc_TypeError, "_control_back: None is not an array");
  }
  arrays_release(&a);
  return result;
}

PyMethodDef control_methods[] = {
    {"_control_roll", roll, METH_VARARGS,
     "Roll out parts of a change of controls, with feedback to a trajectory; the bad rows."},
    {"_control_back", (PyCFunction)(void (*)(void))back, METH_FASTCALL,
     "Changes and gains of a trajectory from its end on, and what they gain; None when not "
     "positive."},
    {NULL, NULL, 0, NULL}};
