// D = J inv(M) J' by blocks: two groups meet in D where they share a body,
//   D_ab = sum over shared bodies i of (J_a,i inv(M_i)) J_b,i'.
// Soft rows s of weight W are eliminated:
//   impulse_s = -(inv(W) + D_ss)^-1 (v_s + D_sh f),  so that hard rows see
//   D = D_hh - D_hs (inv(W) + D_ss)^-1 D_sh  and  v = v_h - D_hs (inv(W) + D_ss)^-1 v_s.
#include <stdlib.h>

#include "base/assert.h"
#include "data/frame.h"
#include "maximal/maximal.h"

// Blocks by body: list[adr[i]..adr[i+1]) are the blocks on body i, groups ascending.
typedef struct snOnBody_ {
  int *adr, *list;
} snOnBody;

static bool blocks_on_bodies(mjData* d, const snRows* r, int nbody, snOnBody* on) {
  if (!FRAME(memory_of(d), SN_ARRAY(on->adr, nbody + 2), SN_ARRAY(on->list, r->nblk))) return false;
  for (int i = 0; i <= nbody + 1; i++) on->adr[i] = 0;
  for (int b = 0; b < r->nblk; b++) on->adr[r->blk[b].body + 2]++;
  for (int i = 2; i <= nbody; i++) on->adr[i] += on->adr[i - 1];
  for (int b = 0; b < r->nblk; b++) on->list[on->adr[r->blk[b].body + 1]++] = b;
  return true;
}

static int compare_int(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

// Block columns of every group, both triangles.
static bool structure(mjData* d, const snRows* r, const snOnBody* on, snBlockSparse* s) {
  int n = r->ngroup, most = 0;
  for (int b = 0; b < r->nblk; b++) {
    int body = r->blk[b].body;
    most += on->adr[body + 1] - on->adr[body];
  }
  int *row, *rowadr, *colind, *seen;
  size_t* adr;
  if (!FRAME(memory_of(d), SN_ARRAY(row, n + 1), SN_ARRAY(rowadr, n + 1), SN_ARRAY(colind, most),
             SN_ARRAY(adr, most), SN_ARRAY(seen, n))) {
    return false;
  }
  int num = 0;
  size_t size = 0;
  for (int a = 0; a < n; a++) seen[a] = -1;
  for (int a = 0; a < n; a++) {
    const snGroup* g = r->group + a;
    row[a] = g->set.row;
    rowadr[a] = num;
    for (int b = g->blk; b < g->blk + g->nblk; b++) {
      int body = r->blk[b].body;
      for (int k = on->adr[body]; k < on->adr[body + 1]; k++) {
        int other = r->blk[on->list[k]].group;
        if (seen[other] == a) continue;
        seen[other] = a;
        colind[num++] = other;
      }
    }
    // one body's list is in order already
    if (g->nblk > 1) qsort(colind + rowadr[a], num - rowadr[a], sizeof(int), compare_int);
    for (int k = rowadr[a]; k < num; k++) {
      adr[k] = size;
      size += (size_t)g->set.nrow * r->group[colind[k]].set.nrow;
    }
  }
  SN_ASSERT(num <= most);
  row[n] = r->n;
  rowadr[n] = num;
  double* value;
  if (!FRAME(memory_of(d), SN_ARRAY(value, size))) return false;
  memset(value, 0, size * sizeof *value);
  *s = (snBlockSparse){n, row, rowadr, colind, adr, value};
  return true;
}

// out += (J inv(M))_a J_b'
SN_INLINE void block_product(double* out, const double* JM, int na, const double* J, int nb) {
  for (int i = 0; i < na; i++) {
    for (int j = 0; j < nb; j++) out[nb * i + j] += vec6_dot(JM + 6 * i, J + 6 * j);
  }
}

SN_KERNEL static void lower_triangle(const snRows* r, const snOnBody* on, const snBlockSparse* s,
                                     int* place) {
  double* value = (double*)s->value;
  for (int a = 0; a < s->nblock; a++) {
    const snGroup* g = r->group + a;
    for (int k = s->rowadr[a]; k < s->rowadr[a + 1]; k++) place[s->colind[k]] = k;
    for (int b = g->blk; b < g->blk + g->nblk; b++) {
      const snBlk* mine = r->blk + b;
      for (int k = on->adr[mine->body]; k < on->adr[mine->body + 1]; k++) {
        const snBlk* other = r->blk + on->list[k];
        if (other->group > a) break;
        block_product(value + s->adr[place[other->group]], mine->JM, g->set.nrow, other->J,
                      r->group[other->group].set.nrow);
      }
    }
  }
}

// Rows are visited in order, so the columns right of a diagonal fill from the left. Diagonal blocks
// are made symmetric to the bit, as D is.
static void upper_triangle(const snRows* r, const snBlockSparse* s, int* next) {
  double* value = (double*)s->value;
  for (int a = 0; a < s->nblock; a++) {
    int na = r->group[a].set.nrow, k = s->rowadr[a];
    for (; s->colind[k] < a; k++) {
      int b = s->colind[k], nb = r->group[b].set.nrow;
      SN_ASSERT(s->colind[next[b]] == a);  // the next of row b, by symmetry
      const double* from = value + s->adr[k];
      double* to = value + s->adr[next[b]++];
      for (int i = 0; i < na; i++) {
        for (int j = 0; j < nb; j++) to[na * j + i] = from[nb * i + j];
      }
    }
    SN_ASSERT(s->colind[k] == a);
    double* own = value + s->adr[k];
    for (int i = 0; i < na; i++) {
      for (int j = 0; j < i; j++) own[na * j + i] = own[na * i + j];
    }
    next[a] = k + 1;
  }
}

// Columns of the factor's solve stand as rows: x_j = (inv(W) + D_ss)^-1 D_sj.
static bool eliminate_soft(mjData* d, const snRows* r, snAssembly* a, double* v) {
  const snBlockSparse* s = &a->blocks;
  int ns = r->nsoft, nh = r->n - ns;
  a->stride = (nh + 3) / 4 * 4;
  SN_ASSERT(s->row[r->nsoftgroup] == ns);  // soft rows come first
  size_t dense = (size_t)nh * a->stride, soft = (size_t)ns * ns, cross = (size_t)nh * ns;
  double* x;
  if (!FRAME(memory_of(d), SN_ARRAY(a->dense, dense), SN_ARRAY(a->soft, soft),
             SN_ARRAY(a->cross, cross), SN_ARRAY(x, ns))) {
    return false;
  }
  memset(a->dense, 0, dense * sizeof *x);
  memset(a->soft, 0, soft * sizeof *x);
  memset(a->cross, 0, cross * sizeof *x);
  for (int g = 0; g < s->nblock; g++) {
    int na = s->row[g + 1] - s->row[g];
    for (int k = s->rowadr[g]; k < s->rowadr[g + 1]; k++) {
      int b = s->colind[k], nb = s->row[b + 1] - s->row[b];
      for (int i = 0; i < na; i++) {
        for (int j = 0; j < nb; j++) {
          int row = s->row[g] + i, col = s->row[b] + j;
          double value = s->value[s->adr[k] + nb * i + j];
          if (row < ns && col < ns) {
            a->soft[ns * row + col] = value;
          } else if (row >= ns && col < ns) {
            a->cross[ns * (row - ns) + col] = value;
          } else if (row >= ns) {
            a->dense[(size_t)a->stride * (row - ns) + col - ns] = value;
          }
        }
      }
    }
  }
  for (int i = 0; i < ns; i++) a->soft[(ns + 1) * i] += 1 / r->weight[i];
  mju_cholFactor(a->soft, ns, 0);
  for (int j = 0; j < nh; j++) {
    mju_cholSolve(x, a->soft, a->cross + ns * j, ns);
    v[ns + j] -= vec_dot(x, v, ns);
    for (int i = 0; i <= j; i++) {
      double *at = a->dense + (size_t)a->stride * j + i, drop = vec_dot(a->cross + ns * i, x, ns);
      *at -= drop;
      a->dense[(size_t)a->stride * i + j] = *at;
    }
  }
  return true;
}

bool assembly_make(snMaximalWhole* w, const snRows* r, snAssembly* a, double* v) {
  mjData* d = w->x.data;
  snOnBody on;
  int* place;
  double* state;
  memset(a, 0, sizeof *a);
  if (!blocks_on_bodies(d, r, w->x.nbody, &on) ||
      !FRAME(memory_of(d), SN_ARRAY(place, r->ngroup), SN_ARRAY(state, r->n)) ||
      !structure(d, r, &on, &a->blocks)) {
    return false;
  }
  lower_triangle(r, &on, &a->blocks, place);
  upper_triangle(r, &a->blocks, place);
  if (r->nsoft) {
    if (!eliminate_soft(d, r, a, v)) return false;
    a->D = delassus_dense(r->n - r->nsoft, a->dense, a->stride, state);
  } else {
    a->D = delassus_sparse(r->n, &a->blocks, state);
  }
  return true;
}

void assembly_soft(const snRows* r, const snAssembly* a, const double* v, double* impulse) {
  int ns = r->nsoft;
  if (!ns) return;
  for (int i = 0; i < ns; i++) impulse[i] = -v[i];
  for (int j = 0; j < r->n - ns; j++) {
    vec_add_scaled(impulse, a->cross + ns * j, -impulse[ns + j], ns);
  }
  mju_cholSolve(impulse, a->soft, impulse, ns);
}

void assembly_diagonal(const snRows* r, const snAssembly* a, double* diagonal) {
  const snBlockSparse* s = &a->blocks;
  for (int i = 0; a->dense && i < r->n - r->nsoft; i++) {
    diagonal[i] = a->dense[(size_t)a->stride * i + i];
  }
  for (int g = 0; !a->dense && g < s->nblock; g++) {
    int k = s->rowadr[g], n = s->row[g + 1] - s->row[g];
    while (s->colind[k] < g) k++;
    for (int i = 0; i < n; i++) diagonal[s->row[g] + i] = s->value[s->adr[k] + (n + 1) * i];
  }
}
