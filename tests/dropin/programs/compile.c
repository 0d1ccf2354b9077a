// A model into a binary file and text and back; what is not a model is refused with a message.
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  char error[1000] = "";
  mjModel* m = mj_loadXML(argv[1], NULL, error, sizeof error);
  if (!m) return printf("%s\n", error), 1;
  int size = mj_sizeModel(m);
  char* buffer = malloc((size_t)size);
  mj_saveModel(m, NULL, buffer, size);
  mj_saveModel(m, "model.mjb", NULL, 0);
  mj_printModel(m, "model.txt");
  mjModel* again = mj_loadModel("model.mjb", NULL);
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "m.mjb", buffer, size);
  mjModel* third = mj_loadModel("m.mjb", &vfs);
  mj_deleteVFS(&vfs);
  if (!again || !third) return 1;
  mjModel* copy = mj_copyModel(NULL, again);
  printf("%d %d %d %d ", m->nq, m->nv, m->nbody, m->ngeom);
  int same = again->nbody == m->nbody &&
             !memcmp(again->body_mass, m->body_mass, sizeof(mjtNum) * (size_t)m->nbody) &&
             !memcmp(third->geom_size, m->geom_size, 3 * sizeof(mjtNum) * (size_t)m->ngeom) &&
             !memcmp(copy->names, m->names, (size_t)m->nnames);
  printf("%d %.9g\n", same, mj_getTotalmass(copy));
  for (int i = 0; i < m->nbody; i++)
    printf("%s %.9g\n", mj_id2name(copy, mjOBJ_BODY, i), copy->body_mass[i]);
  error[0] = 0;
  mjModel* none = mj_loadXML("missing.xml", NULL, error, sizeof error);
  printf("%d %d\n", none == NULL, error[0] != 0);
  mj_deleteModel(m);
  mj_deleteModel(again);
  mj_deleteModel(third);
  mj_deleteModel(copy);
  free(buffer);
  return 0;
}
