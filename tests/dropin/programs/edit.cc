// A model made and changed through mjSpec, its texts by functions and its vectors as the header
// declares them to C++.
#include <mujoco/mujoco.h>

#include <cstdio>
#include <vector>

static_assert(sizeof(std::vector<double>) == 3 * sizeof(void*), "vectors are three pointers");

int main() {
  mjSpec* spec = mj_makeSpec();
  mjs_setString(spec->modelname, "a name that is longer than any short string");
  mjsDefault* small = mjs_addDefault(spec, "small", nullptr);
  small->geom->size[0] = 0.05;
  mjsBody* parent = mjs_findBody(spec, "world");
  for (int i = 0; i < 4; i++) {
    mjsBody* body = mjs_addBody(parent, nullptr);
    char name[20];
    std::snprintf(name, sizeof name, "link%d", i);
    mjs_setName(body->element, name);
    body->pos[0] = 0.2;
    mjsJoint* joint = mjs_addJoint(body, nullptr);
    joint->axis[2] = 0;
    joint->axis[1] = 1;
    mjs_setName(joint->element, name);
    mjs_addGeom(body, small)->type = mjGEOM_SPHERE;
    parent = body;
  }
  mjsActuator* motor = mjs_addActuator(spec, nullptr);
  motor->trntype = mjTRN_JOINT;
  mjs_setString(motor->target, "link2");
  mjs_setToPosition(motor, 10, nullptr, nullptr, nullptr, 0);
  mjsKey* key = mjs_addKey(spec);
  *static_cast<std::vector<double>*>(key->qpos) = {0.1, 0.2, 0.3, 0.4};
  mjsNumeric* numeric = mjs_addNumeric(spec);
  mjs_setName(numeric->element, "n");
  static_cast<std::vector<double>*>(numeric->data)->assign(40, 2.5);

  mjModel* m = mj_compile(spec, nullptr);
  if (!m) return std::printf("%s\n", mjs_getError(spec)), 1;
  mjData* d = mj_makeData(m);
  mj_resetDataKeyframe(m, d, 0);
  for (int i = 0; i < 100; i++) mj_step(m, d);
  std::printf("%s %d %d %.9g %.9g %.9g\n", m->names, m->nbody, m->nnumericdata, m->numeric_data[39], d->qpos[0], d->qpos[3]);

  mjSpec* child = mj_copySpec(spec);
  mjsFrame* frame = mjs_addFrame(mjs_findBody(spec, "link3"), nullptr);
  frame->pos[2] = 0.3;
  if (!mjs_attach(frame->element, mjs_findBody(child, "link0")->element, "copy-", "")) return std::printf("%s\n", mjs_getError(spec)), 1;
  if (mj_recompile(spec, nullptr, m, d)) return 1;
  std::printf("%d %d %.9g %.9g\n", m->nbody, mj_name2id(m, mjOBJ_BODY, "copy-link3"), d->qpos[3], d->time);
  for (mjsElement* e = mjs_firstElement(spec, mjOBJ_GEOM); e; e = mjs_nextElement(spec, e)) std::printf("%d ", mjs_getId(e));
  std::printf("%s\n", mjs_getString(mjs_getName(mjs_findBody(spec, "link1")->element)));
  mj_deleteData(d);
  mj_deleteModel(m);
  mj_deleteSpec(child);
  mj_deleteSpec(spec);
  return 0;
}
