// Sensors that look at contacts, limit rows and geom distances: a touch sensor sums normal forces,
// a limit sensor reads its row of the efc_ arrays (zero when the limit is not active), a distance
// sensor takes the nearest pair of geoms of two objects.
#include "sense/sense.h"

int sense_limit_row(const mjModel* m, const mjData* d, int type, int id) {
  bool joint =
      type == mjSENS_JOINTLIMITPOS || type == mjSENS_JOINTLIMITVEL || type == mjSENS_JOINTLIMITFRC;
  int want = joint ? mjCNSTR_LIMIT_JOINT : mjCNSTR_LIMIT_TENDON;
  int begin = d->ne + d->nf, end = begin + d->nl;
  for (int row = begin; row < end; row++) {
    if (d->efc_type[row] == want && d->efc_id[row] == id) return row;
  }
  return -1;
}

// A contact counts when the ray from its point along the normal, into the body of the site, hits
// the site's zone; a ray from a point inside the zone always does.
double sense_touch(const mjModel* m, const mjData* d, int site) {
  double sum = 0;
  int body = m->site_bodyid[site];
  for (int i = 0; i < d->ncon; i++) {
    const mjContact* contact = d->contact + i;
    int side[2];
    for (int k = 0; k < 2; k++) {
      side[k] = contact->geom[k] >= 0 ? m->geom_bodyid[contact->geom[k]] : -1;
    }
    if (contact->efc_address < 0 || (side[0] != body && side[1] != body)) continue;
    double force[6], ray[3];
    mj_contactForce(m, d, i, force);
    if (force[0] <= 0) continue;
    vec3_scale(ray, contact->frame, side[1] == body ? -1 : 1);
    if (mju_rayGeom(d->site_xpos + 3 * site, d->site_xmat + 9 * site, m->site_size + 3 * site,
                    contact->pos, ray, m->site_type[site]) >= 0) {
      sum += force[0];
    }
  }
  return sum;
}

// The geoms of an object: the geom itself, or all geoms of a body.
static void geom_range(const mjModel* m, int objtype, int id, int* begin, int* end) {
  bool body = objtype == mjOBJ_BODY || objtype == mjOBJ_XBODY;
  *begin = body ? m->body_geomadr[id] : id;
  *end = *begin + (body ? m->body_geomnum[id] : 1);
}

void sense_distance(const mjModel* m, const mjData* d, int i, double* reading) {
  int begin1, end1, begin2, end2;
  double nearest = m->sensor_cutoff[i], segment[6] = {0};
  geom_range(m, m->sensor_objtype[i], m->sensor_objid[i], &begin1, &end1);
  geom_range(m, m->sensor_reftype[i], m->sensor_refid[i], &begin2, &end2);
  for (int g1 = begin1; g1 < end1; g1++) {
    for (int g2 = begin2; g2 < end2; g2++) {
      double fromto[6];
      double distance = mj_geomDistance(m, d, g1, g2, m->sensor_cutoff[i], fromto);
      if (distance < nearest) {
        nearest = distance;
        memcpy(segment, fromto, sizeof segment);
      }
    }
  }
  switch (m->sensor_type[i]) {
    case mjSENS_GEOMDIST:
      reading[0] = nearest;
      break;
    case mjSENS_GEOMNORMAL: {
      double normal[3];
      vec3_sub(normal, segment + 3, segment);
      if (normal[0] != 0 || normal[1] != 0 || normal[2] != 0) vec3_normalize(normal);
      vec3_copy(reading, normal);
      break;
    }
    default:
      memcpy(reading, segment, sizeof segment);
  }
}
