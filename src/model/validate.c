// Validation of a model: does every index point to an existing element? A model from a file is
// refused otherwise, so that no stage of the engine has to check again.
#include "model/validate.h"

#include "model/model.h"

// ---- simple references: every element of an array lies in [low, size)

typedef struct snReference_ {
  const char* name;
  int array;  // offset of the pointer in mjModel
  int rows;   // offset of the number of rows
  int columns;
  int low;       // -1 where "none" is allowed
  int size;      // offset of the number of elements pointed to, or
  int constant;  // that number itself, when `size` is negative
} snReference;

#define AT(member) offsetof(mjModel, member)
#define ID(array, rows, low, size) \
  { #array, AT(array), AT(rows), 1, low, AT(size), 0 }
#define IDS(array, rows, columns, low, size) \
  { #array, AT(array), AT(rows), columns, low, AT(size), 0 }
#define KIND(array, rows, low, count) \
  { #array, AT(array), AT(rows), 1, low, -1, count }

static const snReference references[] = {
    ID(body_parentid, nbody, 0, nbody),
    ID(body_rootid, nbody, 0, nbody),
    ID(body_weldid, nbody, 0, nbody),
    ID(body_mocapid, nbody, -1, nmocap),
    ID(body_treeid, nbody, -1, ntree),
    ID(body_plugin, nbody, -1, nplugin),
    KIND(jnt_type, njnt, 0, mjJNT_HINGE + 1),
    ID(jnt_bodyid, njnt, 0, nbody),
    ID(dof_bodyid, nv, 0, nbody),
    ID(dof_jntid, nv, 0, njnt),
    ID(dof_treeid, nv, 0, ntree),
    KIND(geom_type, ngeom, 0, mjNGEOMTYPES),
    ID(geom_bodyid, ngeom, 0, nbody),
    ID(geom_matid, ngeom, -1, nmat),
    ID(geom_plugin, ngeom, -1, nplugin),
    KIND(geom_condim, ngeom, 1, 7),
    KIND(site_type, nsite, 0, mjNGEOMTYPES),
    ID(site_bodyid, nsite, 0, nbody),
    ID(site_matid, nsite, -1, nmat),
    KIND(cam_mode, ncam, 0, mjCAMLIGHT_TARGETBODYCOM + 1),
    ID(cam_bodyid, ncam, 0, nbody),
    ID(cam_targetbodyid, ncam, -1, nbody),
    KIND(light_mode, nlight, 0, mjCAMLIGHT_TARGETBODYCOM + 1),
    ID(light_bodyid, nlight, 0, nbody),
    ID(light_targetbodyid, nlight, -1, nbody),
    ID(light_texid, nlight, -1, ntex),
    KIND(flex_condim, nflex, 1, 7),
    KIND(flex_dim, nflex, 1, 4),
    ID(flex_matid, nflex, -1, nmat),
    ID(flex_nodebodyid, nflexnode, 0, nbody),
    ID(flex_vertbodyid, nflexvert, -1, nbody),
    ID(mesh_pathadr, nmesh, -1, npaths),
    ID(skin_matid, nskin, -1, nmat),
    ID(skin_bonebodyid, nskinbone, 0, nbody),
    ID(skin_pathadr, nskin, -1, npaths),
    ID(hfield_pathadr, nhfield, -1, npaths),
    KIND(tex_type, ntex, 0, mjTEXTURE_SKYBOX + 1),
    ID(tex_pathadr, ntex, -1, npaths),
    IDS(mat_texid, nmat, mjNTEXROLE, -1, ntex),
    KIND(pair_dim, npair, 1, 7),
    ID(pair_geom1, npair, 0, ngeom),
    ID(pair_geom2, npair, 0, ngeom),
    KIND(eq_type, neq, 0, mjEQ_DISTANCE + 1),
    ID(tendon_matid, ntendon, -1, nmat),
    KIND(wrap_type, nwrap, 0, mjWRAP_CYLINDER + 1),
    KIND(actuator_dyntype, nu, 0, mjDYN_USER + 1),
    KIND(actuator_gaintype, nu, 0, mjGAIN_USER + 1),
    KIND(actuator_biastype, nu, 0, mjBIAS_USER + 1),
    ID(actuator_plugin, nu, -1, nplugin),
    KIND(sensor_type, nsensor, 0, mjSENS_USER + 1),
    ID(sensor_plugin, nsensor, -1, nplugin),
    ID(plugin_attradr, nplugin, 0, npluginattr),
    ID(name_bodyadr, nbody, 0, nnames),
    ID(name_jntadr, njnt, 0, nnames),
    ID(name_geomadr, ngeom, 0, nnames),
    ID(name_siteadr, nsite, 0, nnames),
    ID(name_camadr, ncam, 0, nnames),
    ID(name_lightadr, nlight, 0, nnames),
    ID(name_flexadr, nflex, 0, nnames),
    ID(name_meshadr, nmesh, 0, nnames),
    ID(name_skinadr, nskin, 0, nnames),
    ID(name_hfieldadr, nhfield, 0, nnames),
    ID(name_texadr, ntex, 0, nnames),
    ID(name_matadr, nmat, 0, nnames),
    ID(name_pairadr, npair, 0, nnames),
    ID(name_excludeadr, nexclude, 0, nnames),
    ID(name_eqadr, neq, 0, nnames),
    ID(name_tendonadr, ntendon, 0, nnames),
    ID(name_actuatoradr, nu, 0, nnames),
    ID(name_sensoradr, nsensor, 0, nnames),
    ID(name_numericadr, nnumeric, 0, nnames),
    ID(name_textadr, ntext, 0, nnames),
    ID(name_tupleadr, ntuple, 0, nnames),
    ID(name_keyadr, nkey, 0, nnames),
    ID(name_pluginadr, nplugin, 0, nnames),
};

// ---- spans: address and number of elements in another array

typedef struct snSpanCheck_ {
  const char* name;
  int adr, num;  // offsets of the pointers
  int rows;
  int size;
} snSpanCheck;

#define SPAN(adr, num, rows, size) \
  { #adr, AT(adr), AT(num), AT(rows), AT(size) }

static const snSpanCheck spans[] = {
    SPAN(body_jntadr, body_jntnum, nbody, njnt),
    SPAN(body_dofadr, body_dofnum, nbody, nv),
    SPAN(body_geomadr, body_geomnum, nbody, ngeom),
    SPAN(body_bvhadr, body_bvhnum, nbody, nbvh),
    SPAN(flex_nodeadr, flex_nodenum, nflex, nflexnode),
    SPAN(flex_vertadr, flex_vertnum, nflex, nflexvert),
    SPAN(flex_edgeadr, flex_edgenum, nflex, nflexedge),
    SPAN(flex_elemadr, flex_elemnum, nflex, nflexelem),
    SPAN(flex_evpairadr, flex_evpairnum, nflex, nflexevpair),
    SPAN(flex_bvhadr, flex_bvhnum, nflex, nbvh),
    SPAN(mesh_vertadr, mesh_vertnum, nmesh, nmeshvert),
    SPAN(mesh_faceadr, mesh_facenum, nmesh, nmeshface),
    SPAN(mesh_bvhadr, mesh_bvhnum, nmesh, nbvh),
    SPAN(mesh_octadr, mesh_octnum, nmesh, noct),
    SPAN(mesh_normaladr, mesh_normalnum, nmesh, nmeshnormal),
    SPAN(mesh_texcoordadr, mesh_texcoordnum, nmesh, nmeshtexcoord),
    SPAN(mesh_polyadr, mesh_polynum, nmesh, nmeshpoly),
    SPAN(skin_vertadr, skin_vertnum, nskin, nskinvert),
    SPAN(skin_faceadr, skin_facenum, nskin, nskinface),
    SPAN(skin_boneadr, skin_bonenum, nskin, nskinbone),
    SPAN(skin_bonevertadr, skin_bonevertnum, nskinbone, nskinbonevert),
    SPAN(tendon_adr, tendon_num, ntendon, nwrap),
    SPAN(actuator_actadr, actuator_actnum, nu, na),
    SPAN(sensor_adr, sensor_dim, nsensor, nsensordata),
    SPAN(plugin_stateadr, plugin_statenum, nplugin, npluginstate),
    SPAN(numeric_adr, numeric_size, nnumeric, nnumericdata),
    SPAN(text_adr, text_size, ntext, ntextdata),
    SPAN(tuple_adr, tuple_size, ntuple, ntupledata),
};

static const int* ints(const mjModel* m, int offset) {
  return *(int* const*)((const char*)m + offset);
}

bool check_index(const char* name, int i, int value, int low, int end, snFault* fault) {
  if (value >= low && value < end) return true;
  return fault_raise(fault, "model: %s[%d] is %d, expected %d to %lld", name, i, value, low,
                     (long long)end - 1);
}

// adr ... adr + num - 1 must lie in an array of `size` elements.
bool check_span(const char* name, int i, int64_t adr, int64_t num, int size, snFault* fault) {
  if (num >= 0 && (!num || (adr >= 0 && adr + num <= size))) return true;
  return fault_raise(fault, "model: %s[%d] is %lld with %lld elements, of %d there are", name, i,
                     (long long)adr, (long long)num, size);
}

bool check_all(const char* name, const int* value, int count, int low, int end, snFault* fault) {
  int wrong = 0;  // without a branch, in lanes: meshes have millions of indices
  for (int i = 0; i < count; i++) wrong |= (value[i] < low) | (value[i] >= end);
  for (int i = 0; wrong && i < count; i++) {
    if (!check_index(name, i, value[i], low, end, fault)) return false;
  }
  return true;
}

static bool check_tables(const mjModel* m, snFault* fault) {
  for (size_t r = 0; r < sizeof references / sizeof references[0]; r++) {
    const snReference* ref = &references[r];
    int64_t count = (int64_t)schema_int(m, ref->rows) * ref->columns;
    int end = ref->size < 0 ? ref->constant : schema_int(m, ref->size);
    if (!check_all(ref->name, ints(m, ref->array), (int)count, ref->low, end, fault)) return false;
  }
  for (size_t s = 0; s < sizeof spans / sizeof spans[0]; s++) {
    const snSpanCheck* span = &spans[s];
    const int *adr = ints(m, span->adr), *num = ints(m, span->num);
    int rows = schema_int(m, span->rows), size = schema_int(m, span->size);
    for (int i = 0; i < rows; i++) {
      if (!check_span(span->name, i, adr[i], num[i], size, fault)) return false;
    }
  }
  return true;
}

// ---- the tree: parents precede children, and the sparsity sizes agree with the chains

static bool check_tree(const mjModel* m, snFault* fault) {
  if (m->nbody < 1) return fault_raise(fault, "model: nbody is 0, the world is missing");
  for (int b = 1; b < m->nbody; b++) {
    if (!check_index("body_parentid", b, m->body_parentid[b], 0, b, fault)) return false;
  }
  static const int qsize[] = {7, 4, 1, 1}, vsize[] = {6, 3, 1, 1};
  for (int j = 0; j < m->njnt; j++) {
    int type = m->jnt_type[j];
    if (!check_span("jnt_qposadr", j, m->jnt_qposadr[j], qsize[type], m->nq, fault) ||
        !check_span("jnt_dofadr", j, m->jnt_dofadr[j], vsize[type], m->nv, fault)) {
      return false;
    }
  }
  int64_t nM = 0, nC = 0, nB = m->nv;
  for (int i = 0; i < m->nv; i++) {
    if (!check_index("dof_parentid", i, m->dof_parentid[i], -1, i, fault)) return false;
    if (m->dof_Madr[i] != nM) {
      return fault_raise(fault, "model: dof_Madr[%d] is %d, expected %lld", i, m->dof_Madr[i],
                         (long long)nM);
    }
    int64_t before = nM;
    for (int k = i; k >= 0 && nM <= m->nM; k = m->dof_parentid[k]) nM++;
    nC += m->dof_simplenum[i] ? 1 : nM - before;
    if (nM > m->nM) break;
  }
  // B: a dof counts for the bodies above its own body and for those below
  for (int b = 1; b < m->nbody && nB <= m->nB; b++) {
    for (int a = m->body_parentid[b]; a > 0; a = m->body_parentid[a]) nB += m->body_dofnum[a];
  }
  for (int i = 0; i < m->nv && nB <= m->nB; i++) {
    for (int b = m->dof_bodyid[i]; b > 0; b = m->body_parentid[b]) nB++;
  }
  if (nM != m->nM || nC != m->nC || 2 * nM - m->nv != m->nD || nB != m->nB) {
    return fault_raise(fault,
                       "model: nM, nC, nD, nB are %d, %d, %d, %d, which is not what the tree "
                       "of dofs has",
                       m->nM, m->nC, m->nD, m->nB);
  }
  return true;
}

// Joints, dofs and geoms lie in the span of their body, and parents of dofs follow the parents of
// bodies.
static bool check_belonging(const mjModel* m, snFault* fault) {
  for (int j = 0; j < m->njnt; j++) {
    int first = m->body_jntadr[m->jnt_bodyid[j]], num = m->body_jntnum[m->jnt_bodyid[j]];
    if (j < first || j >= first + num) {
      return fault_raise(fault, "model: joint %d is not among those of its body %d", j,
                         m->jnt_bodyid[j]);
    }
  }
  for (int i = 0; i < m->nv; i++) {
    int b = m->dof_bodyid[i], first = m->body_dofadr[b], expected = i - 1;
    if (i < first || i >= first + m->body_dofnum[b]) {
      return fault_raise(fault, "model: dof %d is not among those of its body %d", i, b);
    }
    if (i == first) {
      int a = m->body_parentid[b];
      while (a > 0 && !m->body_dofnum[a]) a = m->body_parentid[a];
      expected = a > 0 ? m->body_dofadr[a] + m->body_dofnum[a] - 1 : -1;
    }
    if (m->dof_parentid[i] != expected) {
      return fault_raise(fault, "model: dof_parentid[%d] is %d, expected %d", i, m->dof_parentid[i],
                         expected);
    }
    int j = m->dof_jntid[i];
    if (m->jnt_bodyid[j] != b || i < m->jnt_dofadr[j]) {
      return fault_raise(fault, "model: dof_jntid[%d] is %d, a joint that does not have the dof", i,
                         j);
    }
  }
  for (int i = 0; i < m->ngeom; i++) {
    int first = m->body_geomadr[m->geom_bodyid[i]], num = m->body_geomnum[m->geom_bodyid[i]];
    if (i < first || i >= first + num) {
      return fault_raise(fault, "model: geom %d is not among those of its body %d", i,
                         m->geom_bodyid[i]);
    }
  }
  return true;
}

// ---- references by object type and id

static int object_count(const mjModel* m, int type) {
  switch (type) {
    case mjOBJ_BODY:
    case mjOBJ_XBODY:
      return m->nbody;
    case mjOBJ_JOINT:
      return m->njnt;
    case mjOBJ_DOF:
      return m->nv;
    case mjOBJ_GEOM:
      return m->ngeom;
    case mjOBJ_SITE:
      return m->nsite;
    case mjOBJ_CAMERA:
      return m->ncam;
    case mjOBJ_LIGHT:
      return m->nlight;
    case mjOBJ_FLEX:
      return m->nflex;
    case mjOBJ_MESH:
      return m->nmesh;
    case mjOBJ_SKIN:
      return m->nskin;
    case mjOBJ_HFIELD:
      return m->nhfield;
    case mjOBJ_TEXTURE:
      return m->ntex;
    case mjOBJ_MATERIAL:
      return m->nmat;
    case mjOBJ_PAIR:
      return m->npair;
    case mjOBJ_EXCLUDE:
      return m->nexclude;
    case mjOBJ_EQUALITY:
      return m->neq;
    case mjOBJ_TENDON:
      return m->ntendon;
    case mjOBJ_ACTUATOR:
      return m->nu;
    case mjOBJ_SENSOR:
      return m->nsensor;
    case mjOBJ_NUMERIC:
      return m->nnumeric;
    case mjOBJ_TEXT:
      return m->ntext;
    case mjOBJ_TUPLE:
      return m->ntuple;
    case mjOBJ_KEY:
      return m->nkey;
    case mjOBJ_PLUGIN:
      return m->nplugin;
    default:
      return 0;
  }
}

static bool check_equalities(const mjModel* m, snFault* fault) {
  for (int i = 0; i < m->neq; i++) {
    int kind = mjOBJ_BODY, low = 0;
    switch (m->eq_type[i]) {
      case mjEQ_CONNECT:
      case mjEQ_WELD:
        kind = m->eq_objtype[i];
        if (kind != mjOBJ_BODY && kind != mjOBJ_SITE) {
          return fault_raise(fault, "model: eq_objtype[%d] is %d, expected bodies or sites", i,
                             kind);
        }
        break;
      case mjEQ_JOINT:
        kind = mjOBJ_JOINT, low = -1;
        break;
      case mjEQ_TENDON:
        kind = mjOBJ_TENDON, low = -1;
        break;
      case mjEQ_FLEX:
        kind = mjOBJ_FLEX, low = -1;
        break;
      default:
        kind = mjOBJ_GEOM;
        break;
    }
    int count = object_count(m, kind);
    if (!check_index("eq_obj1id", i, m->eq_obj1id[i], 0, count, fault)) return false;
    if (m->eq_type[i] != mjEQ_FLEX &&
        !check_index("eq_obj2id", i, m->eq_obj2id[i], low, count, fault)) {
      return false;
    }
  }
  return true;
}

static bool check_wraps(const mjModel* m, snFault* fault) {
  for (int i = 0; i < m->nwrap; i++) {
    int id = m->wrap_objid[i];
    switch (m->wrap_type[i]) {
      case mjWRAP_JOINT:
        if (!check_index("wrap_objid", i, id, 0, m->njnt, fault)) return false;
        break;
      case mjWRAP_SITE:
        if (!check_index("wrap_objid", i, id, 0, m->nsite, fault)) return false;
        break;
      case mjWRAP_SPHERE:
      case mjWRAP_CYLINDER:
        // wrap_prm holds the id of the side site, as a number
        if (!check_index("wrap_objid", i, id, 0, m->ngeom, fault)) return false;
        if (!(m->wrap_prm[i] >= -1 && m->wrap_prm[i] < m->nsite)) {
          return fault_raise(fault, "model: wrap_prm[%d] is %g, expected a site or -1", i,
                             m->wrap_prm[i]);
        }
        break;
      default:
        break;
    }
  }
  return true;
}

// A fixed tendon has joints alone. A spatial one has sites and pulleys, and geoms between two
// sites.
static bool check_paths(const mjModel* m, snFault* fault) {
  for (int t = 0; t < m->ntendon; t++) {
    const int *type = m->wrap_type + m->tendon_adr[t], n = m->tendon_num[t];
    for (int k = 0; k < n; k++) {
      bool good = type[0] == mjWRAP_JOINT ? type[k] == mjWRAP_JOINT
                                          : type[k] != mjWRAP_JOINT && type[k] != mjWRAP_NONE;
      if (type[k] == mjWRAP_SPHERE || type[k] == mjWRAP_CYLINDER) {
        good &= k > 0 && k + 1 < n && type[k - 1] == mjWRAP_SITE && type[k + 1] == mjWRAP_SITE;
      }
      if (good) continue;
      return fault_raise(fault, "model: wrap_type[%d] is %d, which has no place there in tendon %d",
                         m->tendon_adr[t] + k, type[k], t);
    }
  }
  return true;
}

// The moment of a joint transmission has the dofs of the joint; others get room for all dofs.
static bool check_moments(const mjModel* m, snFault* fault) {
  static const int dofs[] = {6, 3, 1, 1};
  int64_t need = 0;
  for (int i = 0; i < m->nu; i++) {
    int type = m->actuator_trntype[i];
    bool joint = type == mjTRN_JOINT || type == mjTRN_JOINTINPARENT;
    need += joint ? dofs[m->jnt_type[m->actuator_trnid[2 * i]]] : m->nv;
  }
  if (m->nJmom >= need) return true;
  return fault_raise(fault, "model: nJmom is %d, expected %lld", m->nJmom, (long long)need);
}

static bool check_actuators(const mjModel* m, snFault* fault) {
  for (int i = 0; i < m->nu; i++) {
    const int* id = m->actuator_trnid + 2 * i;
    int kind;
    int dynamics = m->actuator_dyntype[i];
    bool native = dynamics != mjDYN_NONE && dynamics != mjDYN_USER && m->actuator_plugin[i] < 0;
    if (native && m->actuator_actnum[i] < 1) {
      return fault_raise(fault, "model: actuator_actnum[%d] is %d, but the actuator has dynamics",
                         i, m->actuator_actnum[i]);
    }
    if (m->actuator_actadr[i] >= 0 && m->actuator_actnum[i] < 1) {
      return fault_raise(fault, "model: actuator_actadr[%d] is %d, but the actuator has no state",
                         i, m->actuator_actadr[i]);
    }
    switch (m->actuator_trntype[i]) {
      case mjTRN_JOINT:
      case mjTRN_JOINTINPARENT:
        kind = mjOBJ_JOINT;
        break;
      case mjTRN_TENDON:
        kind = mjOBJ_TENDON;
        break;
      case mjTRN_SITE:
      case mjTRN_SLIDERCRANK:
        kind = mjOBJ_SITE;
        break;
      case mjTRN_BODY:
        kind = mjOBJ_BODY;
        break;
      case mjTRN_UNDEFINED:
        continue;
      default:
        return fault_raise(fault, "model: actuator_trntype[%d] is %d", i, m->actuator_trntype[i]);
    }
    int low = m->actuator_trntype[i] == mjTRN_SLIDERCRANK ? 0 : -1;
    if (!check_index("actuator_trnid", 2 * i, id[0], 0, object_count(m, kind), fault) ||
        (kind == mjOBJ_SITE &&
         !check_index("actuator_trnid", 2 * i + 1, id[1], low, m->nsite, fault))) {
      return false;
    }
  }
  return check_moments(m, fault);
}

// Per sensor type: number of outputs, and type of object (mjOBJ_UNKNOWN: given by the sensor).
static const struct {
  int dim, object;
} sensors[] = {
    [mjSENS_TOUCH] = {1, mjOBJ_SITE},
    [mjSENS_ACCELEROMETER] = {3, mjOBJ_SITE},
    [mjSENS_VELOCIMETER] = {3, mjOBJ_SITE},
    [mjSENS_GYRO] = {3, mjOBJ_SITE},
    [mjSENS_FORCE] = {3, mjOBJ_SITE},
    [mjSENS_TORQUE] = {3, mjOBJ_SITE},
    [mjSENS_MAGNETOMETER] = {3, mjOBJ_SITE},
    [mjSENS_RANGEFINDER] = {1, mjOBJ_SITE},
    [mjSENS_CAMPROJECTION] = {2, mjOBJ_SITE},
    [mjSENS_JOINTPOS] = {1, mjOBJ_JOINT},
    [mjSENS_JOINTVEL] = {1, mjOBJ_JOINT},
    [mjSENS_TENDONPOS] = {1, mjOBJ_TENDON},
    [mjSENS_TENDONVEL] = {1, mjOBJ_TENDON},
    [mjSENS_ACTUATORPOS] = {1, mjOBJ_ACTUATOR},
    [mjSENS_ACTUATORVEL] = {1, mjOBJ_ACTUATOR},
    [mjSENS_ACTUATORFRC] = {1, mjOBJ_ACTUATOR},
    [mjSENS_JOINTACTFRC] = {1, mjOBJ_JOINT},
    [mjSENS_TENDONACTFRC] = {1, mjOBJ_TENDON},
    [mjSENS_BALLQUAT] = {4, mjOBJ_JOINT},
    [mjSENS_BALLANGVEL] = {3, mjOBJ_JOINT},
    [mjSENS_JOINTLIMITPOS] = {1, mjOBJ_JOINT},
    [mjSENS_JOINTLIMITVEL] = {1, mjOBJ_JOINT},
    [mjSENS_JOINTLIMITFRC] = {1, mjOBJ_JOINT},
    [mjSENS_TENDONLIMITPOS] = {1, mjOBJ_TENDON},
    [mjSENS_TENDONLIMITVEL] = {1, mjOBJ_TENDON},
    [mjSENS_TENDONLIMITFRC] = {1, mjOBJ_TENDON},
    [mjSENS_FRAMEPOS] = {3, 0},
    [mjSENS_FRAMEQUAT] = {4, 0},
    [mjSENS_FRAMEXAXIS] = {3, 0},
    [mjSENS_FRAMEYAXIS] = {3, 0},
    [mjSENS_FRAMEZAXIS] = {3, 0},
    [mjSENS_FRAMELINVEL] = {3, 0},
    [mjSENS_FRAMEANGVEL] = {3, 0},
    [mjSENS_FRAMELINACC] = {3, 0},
    [mjSENS_FRAMEANGACC] = {3, 0},
    [mjSENS_SUBTREECOM] = {3, mjOBJ_BODY},
    [mjSENS_SUBTREELINVEL] = {3, mjOBJ_BODY},
    [mjSENS_SUBTREEANGMOM] = {3, mjOBJ_BODY},
    [mjSENS_GEOMDIST] = {1, 0},
    [mjSENS_GEOMNORMAL] = {3, 0},
    [mjSENS_GEOMFROMTO] = {6, 0},
    [mjSENS_E_POTENTIAL] = {1, 0},
    [mjSENS_E_KINETIC] = {1, 0},
    [mjSENS_CLOCK] = {1, 0},
};

static bool check_sensors(const mjModel* m, snFault* fault) {
  for (int i = 0; i < m->nsensor; i++) {
    int type = m->sensor_type[i], object = m->sensor_objtype[i], reference = m->sensor_reftype[i];
    if (type < mjSENS_PLUGIN) {
      if (m->sensor_dim[i] != sensors[type].dim) {
        return fault_raise(fault, "model: sensor_dim[%d] is %d, expected %d", i, m->sensor_dim[i],
                           sensors[type].dim);
      }
      if (sensors[type].object && object != sensors[type].object) {
        return fault_raise(fault, "model: sensor_objtype[%d] is %d, expected %d", i, object,
                           sensors[type].object);
      }
    }
    bool placeless = type == mjSENS_E_POTENTIAL || type == mjSENS_E_KINETIC ||
                     type == mjSENS_CLOCK || type >= mjSENS_PLUGIN;
    if ((object != mjOBJ_UNKNOWN || !placeless) &&
        !check_index("sensor_objid", i, m->sensor_objid[i], 0, object_count(m, object), fault)) {
      return false;
    }
    if ((reference != mjOBJ_UNKNOWN || type == mjSENS_CAMPROJECTION) &&
        !check_index("sensor_refid", i, m->sensor_refid[i], 0, object_count(m, reference), fault)) {
      return false;
    }
  }
  return true;
}

static bool check_objects(const mjModel* m, snFault* fault) {
  for (int i = 0; i < m->ngeom; i++) {
    int type = m->geom_type[i];
    int count = type == mjGEOM_HFIELD ? m->nhfield : m->nmesh;
    int low = type == mjGEOM_HFIELD || type == mjGEOM_MESH ? 0 : -1;
    if (!check_index("geom_dataid", i, m->geom_dataid[i], low, count, fault)) return false;
  }
  for (int i = 0; i < m->ntupledata; i++) {
    int count = object_count(m, m->tuple_objtype[i]);
    if (!check_index("tuple_objid", i, m->tuple_objid[i], 0, count, fault)) return false;
  }
  return check_equalities(m, fault) && check_wraps(m, fault) && check_paths(m, fault) &&
         check_actuators(m, fault) && check_sensors(m, fault);
}

// Strings are terminated inside of their array.
static bool check_strings(const mjModel* m, snFault* fault) {
  if (m->nnames < 1 || m->names[m->nnames - 1]) {
    return fault_raise(fault, "model: names do not end in a zero");
  }
  if (m->npaths && m->paths[m->npaths - 1]) {
    return fault_raise(fault, "model: paths do not end in a zero");
  }
  if (m->npluginattr && m->plugin_attr[m->npluginattr - 1]) {
    return fault_raise(fault, "model: plugin_attr does not end in a zero");
  }
  for (int i = 0; i < m->ntext; i++) {
    if (m->text_size[i] < 1 || m->text_data[m->text_adr[i] + m->text_size[i] - 1]) {
      return fault_raise(fault, "model: text %d does not end in a zero", i);
    }
  }
  return true;
}

static bool within(int adr, int num, int size) { return adr >= 0 && num >= 0 && num <= size - adr; }

bool model_mesh_holds(const mjModel* m, int mesh) {
  if (within(m->mesh_vertadr[mesh], m->mesh_vertnum[mesh], m->nmeshvert) &&
      within(m->mesh_faceadr[mesh], m->mesh_facenum[mesh], m->nmeshface) &&
      within(m->mesh_bvhadr[mesh], m->mesh_bvhnum[mesh], m->nbvh)) {
    return true;
  }
  mju_error("model: vertices, faces or bounding volumes of mesh %d lie outside of the model", mesh);
  return false;
}

bool validate_references(const mjModel* m, snFault* fault) {
  return check_tables(m, fault) && check_objects(m, fault) && check_strings(m, fault);
}

bool model_validate(const mjModel* m, snFault* fault) {
  if (m->nnames_map != names_map_size(m)) {
    return fault_raise(fault, "model: nnames_map is %d, expected %d", m->nnames_map,
                       names_map_size(m));
  }
  return check_tables(m, fault) && check_tree(m, fault) && check_belonging(m, fault) &&
         validate_assets(m, fault) && check_objects(m, fault) && check_strings(m, fault);
}

// Exported by the released library without declaration: NULL, or a message.
MJAPI const char* mj_validateReferences(const mjModel* m);
const char* mj_validateReferences(const mjModel* m) {
  static _Thread_local snFault fault;
  memset(&fault, 0, sizeof fault);
  if (!m) return "model is NULL";
  return model_validate(m, &fault) ? NULL : fault.text;
}
