// Files in memory, models as bytes, printing, refusals: what goes wrong says so the same way.
#include <mujoco/mujoco.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arm.h"

static jmp_buf out;
static int warned;
static void refuse(const char* text) { longjmp(out, 1); }
static void warn(const char* text) { warned++; }
// A call that may be refused with an error.
#define TRY(...)         \
  if (setjmp(out))       \
    printf("refused\n"); \
  else                   \
    __VA_ARGS__

static void vfs_cases(void) {
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  const char* body = "<mujoco><worldbody><body name='x'/></worldbody></mujoco>";
  int n = (int)strlen(body);
  printf("add %d", mj_addBufferVFS(&vfs, "part.xml", body, n));
  printf(" %d", mj_addBufferVFS(&vfs, "part.xml", body, n));      // twice
  printf(" %d", mj_addBufferVFS(&vfs, "PART.xml", body, n));      // in capitals
  printf(" %d", mj_addBufferVFS(&vfs, "dir/part.xml", body, n));  // in a folder
  printf(" %d", mj_addBufferVFS(&vfs, "./part.xml", body, n));    // the same by another name
  printf(" %d", mj_addBufferVFS(&vfs, "empty", body, 0));         // nothing
  printf(" %d\n", mj_addBufferVFS(&vfs, "", body, n));            // no name
  FILE* f = fopen("there.xml", "w");
  fputs(body, f), fclose(f);
  printf("file %d", mj_addFileVFS(&vfs, ".", "there.xml"));
  printf(" %d", mj_addFileVFS(&vfs, "", "there.xml"));
  printf(" %d", mj_addFileVFS(&vfs, "nowhere", "there.xml"));
  printf(" %d\n", mj_addFileVFS(&vfs, "", "missing.xml"));
  const char* names[] = {"part.xml",       "Part.xml", "there.xml",  "dir/part.xml",
                         "other/part.xml", "empty",    "missing.xml"};
  for (int i = 0; i < 7; i++) {
    char error[500] = "";
    mjModel* m = mj_loadXML(names[i], &vfs, error, sizeof error);
    printf("load %s %d %d %d\n", names[i], m ? m->nbody : -1, error[0] != 0,
           error[0] ? !strchr(error, '\n') : 1);
    mj_deleteModel(m);
  }
  const char* whole =
      "<mujoco><include file='part.xml'/><worldbody><body name='y'/></worldbody></mujoco>";
  mj_addBufferVFS(&vfs, "whole.xml", whole, (int)strlen(whole));
  char error[500];
  mjModel* m = mj_loadXML("whole.xml", &vfs, error, sizeof error);
  printf("include %d\n", m ? m->nbody : -1);
  mj_deleteModel(m);
  mjSpec* s = mj_parseXMLString(whole, &vfs, error, sizeof error);
  printf("text %d\n", s != NULL);
  if (s) mj_deleteSpec(s);
  printf("delete %d", mj_deleteFileVFS(&vfs, "part.xml"));
  printf(" %d", mj_deleteFileVFS(&vfs, "part.xml"));
  printf(" %d\n", mj_deleteFileVFS(&vfs, "missing.xml"));
  m = mj_loadXML("whole.xml", &vfs, error, sizeof error);
  printf("include %d %d\n", m ? m->nbody : -1, error[0] != 0);
  mj_deleteModel(m);
  mj_deleteVFS(&vfs);
}

static void bytes_cases(const mjModel* m) {
  int size = mj_sizeModel(m);
  char* block = calloc(1, (size_t)size + 8);
  TRY(mj_saveModel(m, NULL, block, size));
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  printf("bytes %d\n", mj_addBufferVFS(&vfs, "m.mjb", block, size));
  mjModel* back = mj_loadModel("m.mjb", &vfs);
  printf("back %d %d %.6g\n", back->nq, back->nnames, back->body_mass[1]);
  mj_deleteModel(back);
  mj_addBufferVFS(&vfs, "short.mjb", block, size / 2);
  mj_addBufferVFS(&vfs, "none.mjb", block, 3);
  const char* names[] = {"short.mjb", "none.mjb", "missing.mjb"};
  for (int i = 0; i < 3; i++) {
    warned = 0;
    TRY(printf("bad %d %d\n", mj_loadModel(names[i], &vfs) != NULL, warned));
  }
  warned = 0;
  TRY(mj_saveModel(m, "/nowhere/m.mjb", NULL, 0));
  printf("warned %d\n", warned);
  TRY(mj_saveModel(m, NULL, block, size - 1));
  mj_saveModel(m, "m.mjb", NULL, 0);
  back = mj_loadModel("m.mjb", NULL);
  printf("file %d\n", back->nv);
  mj_deleteModel(back);
  mj_deleteVFS(&vfs);
  free(block);
}

static void spec_cases(void) {
  char error[50] = "x", xml[20000];
  mjSpec* s = mj_parseXMLString("<mujoco><worldbody><geom size='0'/></worldbody></mujoco>", NULL,
                                error, sizeof error);
  printf("parsed %d %d\n", s != NULL, error[0] != 0);
  mjModel* m = mj_compile(s, NULL);
  printf("compiled %d %d %d\n", m != NULL, mjs_getError(s)[0] != 0, mjs_isWarning(s));
  mj_deleteSpec(s);
  s = mj_parseXMLString("<mujoco><worldbody><geom/>", NULL, error, sizeof error);
  printf("broken %d %d %d\n", s != NULL, error[0] != 0, (int)strlen(error) < 50);
  s = mj_parseXMLString(ARM, NULL, error, sizeof error);
  m = mj_compile(s, NULL);
  printf("arm %d %d\n", m->nq, m->nbody);
  printf("small %d\n", mj_saveXMLString(s, xml, 10, error, sizeof error) != 0);
  printf("text %d", mj_saveXMLString(s, xml, sizeof xml, error, sizeof error)),
      printf(" %d\n", strstr(xml, "<mujoco") != NULL);
  printf("file %d\n", mj_saveXML(s, "arm.xml", error, sizeof error));
  mjData* d = mj_makeData(m);
  d->qpos[4] = .3, d->time = 2;
  mjsBody* lower = mjs_findBody(s, "lower");
  mjsGeom* g = mjs_addGeom(lower, NULL);
  g->size[0] = .03, mjs_setName(g->element, "more");
  printf("again %d\n", mj_recompile(s, NULL, m, d));
  printf("state %.3g %.3g %d %d\n", d->qpos[4], d->time, m->ngeom,
         mj_name2id(m, mjOBJ_GEOM, "more"));
  m->body_mass[1] = 3, m->geom_size[3] = .07;
  printf("back %d", mj_copyBack(s, m)),
      printf(" %.3g\n", mjs_asGeom(mjs_findElement(s, mjOBJ_GEOM, "floor"))->size[0]);
  mjSpec* copy = mj_copySpec(s);
  printf("same name %d\n",
         mjs_setName(mjs_addBody(mjs_findBody(copy, "world"), NULL)->element, "lower"));
  printf("names %s %s %d\n", mjs_getString(mjs_getName(lower->element)),
         mjs_getString(s->modelname), mjs_getId(lower->element));
  printf("delete %d", mjs_delete(s, lower->element)), printf(" %d\n", mj_compile(s, NULL) != NULL);
  mj_deleteSpec(copy), mj_deleteSpec(s), mj_deleteData(d), mj_deleteModel(m);
}

static int values[64];
static void* work(void* arg) {
  int* v = arg;
  return *v = (int)(v - values) * 2 + 1, NULL;
}

static void thread_cases(const mjModel* m) {
  mjThreadPool* pool = mju_threadPoolCreate(3);
  printf("pool %d\n", pool->nworker);
  mjTask tasks[64];
  for (int i = 0; i < 64; i++) {
    mju_defaultTask(tasks + i);
    tasks[i].func = work, tasks[i].args = values + i;
    mju_threadPoolEnqueue(pool, tasks + i);
  }
  int sum = 0;
  for (int i = 0; i < 64; i++) mju_taskJoin(tasks + i), sum += values[i];
  printf("sum %d status %d\n", sum, tasks[5].status);
  mjData *one = mj_makeData(m), *many = mj_makeData(m);
  mju_bindThreadPool(many, pool);
  for (int i = 0; i < 100; i++) mj_step(m, one), mj_step(m, many);
  printf("bits %d %d\n", memcmp(one->qpos, many->qpos, sizeof(mjtNum) * (size_t)m->nq),
         many->threadpool != 0);
  TRY(mju_bindThreadPool(many, pool));
  mj_deleteData(one), mj_deleteData(many);
  mju_threadPoolDestroy(pool);
}

static void print_cases(const mjModel* m, mjData* d) {
  const mjtNum mat[6] = {1, -2.5, 1e-9, 1e6, 0, 3};
  const int nnz[2] = {1, 2}, adr[2] = {0, 1}, col[3] = {2, 0, 1};
  mju_printMat(mat, 2, 3);
  mju_printMatSparse(mat, 2, nnz, adr, col);
  printf("%s ", mju_writeNumBytes(5)), printf("%s ", mju_writeNumBytes(4096)),
      printf("%s\n", mju_writeNumBytes(3 << 20));
  warned = 0;
  mj_forward(m, d);
  mj_printModel(m, "model.txt"), mj_printData(m, d, "data.txt");
  printf("printed %d %d %d\n", access("model.txt", F_OK), access("data.txt", F_OK), warned);
  char schema[10];
  printf("schema %d\n", mj_printSchema(NULL, schema, 10, 0, 0) > 1000);
  mj_markStack(d);
  mjtNum* x = mj_stackAllocNum(d, 7);
  int* y = mj_stackAllocInt(d, 3);
  printf("stack %d %d\n", x != NULL, y != NULL);
  mj_freeStack(d);
  printf("none %d\n", mj_stackAllocNum(d, 0) == NULL);
  TRY(mj_stateSize(m, 1 << mjNSTATE));
  TRY(mj_setKeyframe((mjModel*)m, d, 5));
  TRY(mj_applyFT(m, d, x, x, x, 99, d->qfrc_applied));
  TRY(mj_objectVelocity(m, d, mjOBJ_UNKNOWN, 0, d->qvel, 0));
  mjtNum quat[4], angle[3] = {0};
  TRY(mju_euler2Quat(quat, angle, "xyw"));
  mjContact con = {0};
  int ncon = d->ncon;
  int added = mj_addContact(m, d, &con);
  printf("contact %d %d %d\n", added, d->ncon - ncon, d->nefc);
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  mju_user_error = refuse, mju_user_warning = warn;
  char error[500] = "";
  mjSpec* s = mj_parseXMLString(ARM, NULL, error, sizeof error);
  mjModel* m = mj_compile(s, NULL);
  mjData* d = mj_makeData(m);
  vfs_cases(), bytes_cases(m), spec_cases(), thread_cases(m), print_cases(m, d);
  mj_deleteData(d), mj_deleteModel(m), mj_deleteSpec(s);
  return 0;
}
