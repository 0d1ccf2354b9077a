// Structure of M = L'DL for tree.c: panels, runs of consecutive columns and offsets in the
// workspace, from the CSR pattern of M.
#include "base/assert.h"
#include "algebra/tree.h"

static int round_lanes(int n) { return (n + 3) & ~3; }

static int tree_parent(const int* rownnz, const int* rowadr, const int* colind, int dof) {
  return rownnz[dof] > 1 ? colind[rowadr[dof] + rownnz[dof] - 2] : -1;
}

// Is this the pattern of a forest: rows are adjacent, and the row of the a-th ancestor is the first
// a+1 entries of the row?
static bool tree_pattern_holds(int nv, const int* rownnz, const int* rowadr, const int* colind) {
  int adr = 0;
  for (int k = 0; k < nv; k++) {
    if (rownnz[k] < 1 || rowadr[k] != adr || colind[adr + rownnz[k] - 1] != k) return false;
    int parent = tree_parent(rownnz, rowadr, colind, k);
    if (parent >= 0) {
      if (parent >= k || rownnz[parent] != rownnz[k] - 1) return false;
      if (memcmp(colind + adr, colind + rowadr[parent], rownnz[parent] * sizeof(int))) return false;
    }
    adr += rownnz[k];
  }
  return true;
}

// Number of dofs from `dof` on that form one panel.
static int panel_width(int nv, const int* rownnz, const int* rowadr, const int* colind,
                       const int* children, int dof) {
  int width = 1;
  while (width < TREE_WIDTH && dof + width < nv && children[dof + width - 1] == 1 &&
         tree_parent(rownnz, rowadr, colind, dof + width) == dof + width - 1) {
    width++;
  }
  return width;
}

// Panels of the tree that starts at part->dof; place[k] becomes the panel of dof k.
static void tree_make_part(snTree* tree, snTreePart* part, const int* rownnz, const int* colind,
                           const int* children, int* place, int* npanel, int* nrun, int* ntarget) {
  int work = 0, x = 0, last = part->dof + part->ndof - 1;
  int end = tree->rowadr[last] + rownnz[last];
  part->panel = *npanel;
  for (int k = part->dof; k < part->dof + part->ndof;) {
    snPanel* p = tree->panel + *npanel;
    int above = rownnz[k] - 1;
    p->dof = k;
    p->width = panel_width(tree->nv, rownnz, tree->rowadr, colind, children, k);
    p->above = above;
    p->adr = tree->rowadr[k];
    p->stride = round_lanes(above + p->width);
    p->work = work;
    p->x = x;
    p->run = *nrun;
    p->nrun = 0;
    p->target = *ntarget;
    for (int j = 0; j < above; j++) {
      int dof = colind[p->adr + j];
      const snPanel* q = tree->panel + place[dof];
      SN_ASSERT(q->dof <= dof && dof < q->dof + q->width);
      tree->target[(*ntarget)++] = q->work + (dof - q->dof) * q->stride;
      if (dof == q->dof) {
        tree->run[(*nrun)++] = (snRun){q->x, j, 0};
        p->nrun++;
      }
      SN_ASSERT(p->nrun > 0);  // ancestors begin with the first dof of a panel
      tree->run[*nrun - 1].count++;
    }
    for (int i = 0; i < p->width; i++) place[k + i] = *npanel;
    p->careful = tree->rowadr[k + p->width - 1] + above + 3 > end;
    work += p->width * p->stride;
    x += round_lanes(p->width);
    k += p->width;
    (*npanel)++;
  }
  part->npanel = *npanel - part->panel;
  int need = work;
  if (x > need) need = x;
  if (4 * part->ndof > need) need = 4 * part->ndof;
  if (need > tree->scratch) tree->scratch = need;
}

snTree* tree_make(int nv, const int* rownnz, const int* rowadr, const int* colind) {
  if (!tree_pattern_holds(nv, rownnz, rowadr, colind)) {
    mju_error("tree_make: the pattern is not that of a forest");
    return NULL;
  }
  int nnz = nv ? rowadr[nv - 1] + rownnz[nv - 1] : 0;
  size_t bytes = sizeof(snTree) + nv * (sizeof(snTreePart) + sizeof(snPanel)) +
                 nnz * sizeof(snRun) + (2 * (size_t)nnz + 3 * (size_t)nv) * sizeof(int) + 64;
  char* block = memory_alloc_zero(bytes);
  if (!block) return NULL;
  snTree* tree = (snTree*)block;
  tree->part = (snTreePart*)(tree + 1);
  tree->panel = (snPanel*)(tree->part + nv);
  tree->run = (snRun*)(tree->panel + nv);
  tree->target = (int*)(tree->run + nnz);
  tree->ancestor = tree->target + nnz;
  tree->rowadr = tree->ancestor + nnz;
  int* children = tree->rowadr + nv;
  int* place = children + nv;
  SN_ASSERT((char*)(place + nv) <= block + bytes);
  tree->nv = nv;
  tree->nnz = nnz;
  if (nv) memcpy(tree->rowadr, rowadr, nv * sizeof(int));
  if (nnz) memcpy(tree->ancestor, colind, nnz * sizeof(int));

  for (int k = 0; k < nv; k++) {
    int parent = tree_parent(rownnz, rowadr, colind, k);
    if (parent >= 0) children[parent]++;
  }
  int npanel = 0, nrun = 0, ntarget = 0;
  for (int k = 0; k < nv;) {
    snTreePart* part = tree->part + tree->npart++;
    part->dof = k;
    part->adr = rowadr[k];
    int end = k + 1;
    if (children[k] == 0) {
      while (end < nv && rownnz[end] == 1 && children[end] == 0) end++;
      part->ndof = end - k;
    } else {
      while (end < nv && rownnz[end] > 1) end++;
      part->ndof = end - k;
      tree_make_part(tree, part, rownnz, colind, children, place, &npanel, &nrun, &ntarget);
    }
    k = end;
  }
  SN_ASSERT(!nv || tree->part[tree->npart - 1].dof + tree->part[tree->npart - 1].ndof == nv);
  SN_ASSERT(npanel <= nv && nrun <= nnz && ntarget <= nnz);
  tree->few = nnz <= (npanel > 1 ? 20 : 10);
  tree->arm = arm_holds(tree);
  tree->forked = ntarget < 2 * nrun;
  tree->scratch += 8;  // for alignment, and so that no size is 0
  return tree;
}

void tree_free(snTree* tree) { memory_free(tree); }

int tree_scratch(const snTree* tree) { return tree->scratch; }
