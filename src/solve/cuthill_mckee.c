// The order of trees within a part.
//
// H stores each row from its first column to the diagonal, and rows are eliminated from the last to
// the first, so cost and fill grow with the distance in this order between trees that rows join. A
// ring of bodies numbered along the ring joins the first with the last and fills the whole matrix;
// in breadth-first order from any body its profile is narrow (Cuthill and McKee 1969: breadth
// first, neighbours of low degree first).
#include "solve/cuthill_mckee.h"

#include <string.h>

#include "solve/choose.h"

// Trees that rows join: those of tree t are next[first[t] .. first[t+1]), some of them repeatedly.
typedef struct snGraph_ {
  int *first, *next;
  int *place, *seen;  // (ntree) place in the order looked at; marks
} snGraph;

// The trees of a unit, ascending as its columns do. Returns how many, at most `most`.
static int unit_trees(const mjModel* m, const snUnits* u, int k, int* tree, int most) {
  int n = 0;
  for (int c = u->first[k]; c < u->first[k + 1] && n < most; c++) {
    int t = m->dof_treeid[u->col[c]];
    if (!n || tree[n - 1] != t) tree[n++] = t;
  }
  return n;
}

// The first few trees of a unit as a chain: enough to keep them close.
enum { UNIT_TREES = 8 };

static bool graph_make(const mjModel* m, mjData* d, const snUnits* u, snGraph* g) {
  int ntree = m->ntree, tree[UNIT_TREES];
  if (!FRAME(memory_of(d), SN_ARRAY(g->first, ntree + 2), SN_ARRAY(g->place, ntree),
             SN_ARRAY(g->seen, ntree))) {
    return false;
  }
  for (int pass = 0; pass < 2; pass++) {
    int last[2] = {-1, -1};
    if (pass == 0) memset(g->first, 0, sizeof(int) * ((size_t)ntree + 2));
    for (int k = 0; k < u->n; k++) {
      int n = unit_trees(m, u, k, tree, UNIT_TREES);
      // contacts of one pair follow each other
      if (n < 2 || (n == 2 && tree[0] == last[0] && tree[1] == last[1])) continue;
      last[0] = tree[0], last[1] = n == 2 ? tree[1] : -1;
      for (int i = 0; i + 1 < n; i++) {
        int a = tree[i], b = tree[i + 1];
        if (pass == 0) {
          g->first[a + 2]++, g->first[b + 2]++;
        } else {
          g->next[g->first[a + 1]++] = b, g->next[g->first[b + 1]++] = a;
        }
      }
    }
    SN_ASSERT(pass == 0 || g->first[ntree] == g->first[ntree + 1]);  // both passes saw the same
    if (pass) break;
    for (int t = 0; t < ntree; t++) g->first[t + 2] += g->first[t + 1];
    if (!FRAME(memory_of(d), SN_ARRAY(g->next, g->first[ntree + 1]))) return false;
  }
  return true;
}

static int degree(const snGraph* g, int t) { return g->first[t + 1] - g->first[t]; }

// Breadth first from `start`, marking with `mark`. Returns how many trees were reached.
static int walk(const snGraph* g, int start, int mark, int* list) {
  int n = 0;
  list[n++] = start;
  g->seen[start] = mark;
  for (int at = 0; at < n; at++) {
    int begin = n;
    for (int e = g->first[list[at]]; e < g->first[list[at] + 1]; e++) {
      int t = g->next[e], k;
      if (g->seen[t] == mark) continue;
      g->seen[t] = mark;
      for (k = n++; k > begin && degree(g, list[k - 1]) > degree(g, t); k--) list[k] = list[k - 1];
      list[k] = t;
    }
  }
  return n;
}

// Products of an elimination in this order, from the last tree: row j reaches back to what it is
// joined with, and to what any row behind it that reaches past it reaches.
static double order_cost(const snGraph* g, const int* size, const int* list, int n) {
  double cost = 0;
  int reach = n, width = 0;
  for (int i = 0; i < n; i++) g->place[list[i]] = i;
  for (int i = n - 1; i >= 0; i--) {
    int low = i;
    for (int e = g->first[list[i]]; e < g->first[list[i] + 1]; e++) {
      if (g->place[g->next[e]] < low) low = g->place[g->next[e]];
    }
    if (reach > i) {
      reach = low, width = 0;
      for (int k = low; k < i; k++) width += size[list[k]];
    } else {
      // still inside the last stretch
      width -= size[list[i]];
      for (int k = low; k < reach; k++) width += size[list[k]];
      if (low < reach) reach = low;
    }
    SN_ASSERT(low <= i && width >= 0);
    double own = size[list[i]];
    cost += own * (own + width) * (own + width);
  }
  return cost;
}

// Is the Hessian of this part what its solver works with?
static bool needs_hessian(const mjData* d, const snUnits* u, const int* unit, int n, int nv,
                          int ntree) {
  snSizes sizes = {.solver = mjSOL_NEWTON, .nv = nv, .ntree = ntree};
  for (int i = 0; i < n; i++) {
    sizes.nefc += u->nrow[unit[i]];
    sizes.ne += u->row[unit[i]] < d->ne ? u->nrow[unit[i]] : 0;
  }
  return choose_variant(&sizes) == snNEWTON_BLOCKS;
}

bool order_trees(const mjModel* m, mjData* d, const snUnits* u, const int* unit_first,
                 const int* unit, int nparts, const int* first, int* list, bool* changed) {
  int most = 0;
  *changed = false;
  for (int p = 0; p < nparts; p++) {
    if (first[p + 1] - first[p] > most) most = first[p + 1] - first[p];
  }
  if (most < ORDER_TREES) return true;
  snGraph g;
  mj_markStack(d);
  int *size, *other, mark = 0;
  bool ok = FRAME(memory_of(d), SN_ARRAY(size, m->ntree), SN_ARRAY(other, most)) &&
            graph_make(m, d, u, &g);
  if (ok) {
    memset(size, 0, sizeof(int) * (size_t)m->ntree);
    for (int i = 0; i < m->nv; i++) size[m->dof_treeid[i]]++;
    memset(g.seen, 0, sizeof(int) * (size_t)m->ntree);
  }
  for (int p = 0; p < nparts && ok; p++) {
    int n = first[p + 1] - first[p], *trees = list + first[p], start = 0;
    if (n < ORDER_TREES) continue;
    int nv = 0, begin = unit_first[p];
    for (int i = 0; i < n; i++) nv += size[trees[i]];
    if (nv < ORDER_DOFS || !needs_hessian(d, u, unit + begin, unit_first[p + 1] - begin, nv, n))
      continue;
    for (int i = 1; i < n; i++) {
      if (degree(&g, trees[i]) < degree(&g, trees[start])) start = i;
    }
    // from an end of the part: the last tree reached from anywhere
    if (walk(&g, trees[start], ++mark, other) < n) continue;
    int reached = walk(&g, other[n - 1], ++mark, other);
    SN_ASSERT(reached == n);
    (void)reached;
    if (order_cost(&g, size, other, n) < 0.8 * order_cost(&g, size, trees, n)) {
      memcpy(trees, other, sizeof(int) * (size_t)n);
      *changed = true;
    }
  }
  mj_freeStack(d);
  return ok;
}
