// mujoco.sensor.touch_grid: contact forces of a rigid part, binned in the taxels of an angular grid.
//
// A contact at p in the frame of the sensor's site, which looks along -z, has the angles
//   azimuth = atan2(x, -z),  elevation = atan2(y, sqrt(x^2 + z^2)).
// Their fields of view are divided at
//   fov ((1 - gamma) t + gamma t^5),  t = -1 ... 1 in equal steps,
// so that gamma makes taxels smaller in the center (foveal). A reading is the sum over the contacts
// in a taxel of force and torque in the site's frame, ordered z, x, y: channel by channel, each by
// rows from low to high elevation.
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "plugin/config.h"
#include "plugin/first_party.h"

enum { kMostTaxels = 1 << 20 };

typedef struct snGridShape_ {
  int channels, size[2];
  double fov[2];  // half angles in radians
  double gamma;
} snGridShape;

typedef struct snGrid_ {
  snGridShape shape;
  double* edge[2];   // (size + 1) ascending
  int taxels;        // size[1] x size[0]
  int sensors;       // number of sensors that use the instance
  double* distance;  // (sensors x taxels) mean over the contacts in a taxel; 0: no contact
  int* contacts;     // (taxels) contacts of the sensor being read
  double storage[];
} snGrid;

static bool grid_fault(int instance, const char* text) {
  mju_warning("mujoco.sensor.touch_grid: instance %d: %s", instance, text);
  return false;
}

// As in the released plugin, counts are truncated to integers, and 0 channels means 1.
static bool grid_configure(const mjModel* m, int instance, snGridShape* shape) {
  double channels = 1, size[2] = {0, 0}, fov[2] = {0, 0};
  shape->gamma = 0;
  if (!config_numbers(m, instance, "nchannel", 1, &channels) ||
      !config_numbers(m, instance, "size", 2, size) ||
      !config_numbers(m, instance, "fov", 2, fov) ||
      !config_numbers(m, instance, "gamma", 1, &shape->gamma)) {
    return false;
  }
  if (!(channels >= 0 && channels < 7)) {
    return grid_fault(instance, "nchannel must be between 1 and 6");
  }
  if (!(size[0] >= 1 && size[1] >= 1)) {
    return grid_fault(instance, "horizontal and vertical resolutions (size) must be positive");
  }
  if (!(floor(size[0]) * floor(size[1]) <= kMostTaxels)) {
    return grid_fault(instance, "size asks for more than 1048576 taxels");
  }
  if (!(fov[0] > 0 && fov[0] <= 180)) {
    return grid_fault(instance, "`fov[0]` must be a number in (0, 180] degrees");
  }
  if (!(fov[1] > 0 && fov[1] <= 90)) {
    return grid_fault(instance, "`fov[1]` must be a number in (0, 90] degrees");
  }
  if (!(shape->gamma >= 0 && shape->gamma <= 1)) {
    return grid_fault(instance, "`gamma` must be a number in [0, 1]");
  }
  shape->channels = channels < 1 ? 1 : (int)channels;
  for (int i = 0; i < 2; i++) {
    shape->size[i] = (int)size[i];
    shape->fov[i] = fov[i] * (mjPI / 180);
  }
  return true;
}

static bool grid_sensor(const mjModel* m, int s, int instance) {
  return m->sensor_type[s] == mjSENS_PLUGIN && m->sensor_plugin[s] == instance;
}

// Number of sensors that use the instance, all attached to sites; -1: one is not.
static int grid_sensors(const mjModel* m, int instance) {
  int found = 0;
  for (int s = 0; s < m->nsensor; s++) {
    if (!grid_sensor(m, s, instance)) continue;
    if (m->sensor_objtype[s] != mjOBJ_SITE) {
      grid_fault(instance, "the sensor must be attached to a site");
      return -1;
    }
    found++;
  }
  return found;
}

// Invalid settings give 0 here; init, which runs later, reports them.
static int grid_nsensordata(const mjModel* m, int instance, int sensor) {
  const char *channel_text = config_text(m, instance, "nchannel"),
             *size_text = config_text(m, instance, "size");
  double channels = 1, size[2];
  if (channel_text && config_parse(channel_text, 1, &channels) != 1) return 0;
  if (!size_text || config_parse(size_text, 2, size) != 2) return 0;
  if (!(channels >= 0 && channels < 7 && size[0] >= 1 && size[1] >= 1)) return 0;
  if (!(floor(size[0]) * floor(size[1]) <= kMostTaxels)) return 0;
  return (channels < 1 ? 1 : (int)channels) * (int)size[0] * (int)size[1];
}

static int grid_init(const mjModel* m, mjData* d, int instance) {
  snGridShape shape;
  if (!grid_configure(m, instance, &shape)) return -1;
  int sensors = grid_sensors(m, instance), taxels = shape.size[0] * shape.size[1];
  if (sensors < 0) return -1;
  size_t edges = (size_t)shape.size[0] + shape.size[1] + 2, drawn = (size_t)sensors * taxels;
  snGrid* grid = config_instance(d, instance,
                                 sizeof *grid + (edges + drawn) * sizeof *grid->storage +
                                     (size_t)taxels * sizeof *grid->contacts);
  if (!grid) return -1;
  grid->shape = shape;
  grid->taxels = taxels;
  grid->sensors = sensors;
  grid->edge[0] = grid->storage;
  grid->edge[1] = grid->edge[0] + shape.size[0] + 1;
  grid->distance = grid->edge[1] + shape.size[1] + 1;
  grid->contacts = (int*)(grid->distance + drawn);
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k <= shape.size[i]; k++) {
      double t = 2.0 * k / shape.size[i] - 1, t5 = t * t * t * t * t;
      grid->edge[i][k] = shape.fov[i] * ((1 - shape.gamma) * t + shape.gamma * t5);
    }
  }
  return 0;
}

// The interval (edge[k], edge[k + 1]] that contains x; -1: none.
static int grid_bin(const double* edge, int size, double x) {
  int low = 0, high = size;
  if (!(x > edge[0] && x <= edge[size])) return -1;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (x > edge[middle]) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

// The taxel of a point in the site's frame; -1: outside of the field of view.
static int grid_taxel(const snGrid* grid, const double p[3]) {
  double azimuth = sn_atan2(p[0], -p[2]);
  double elevation = sn_atan2(p[1], sqrt(p[0] * p[0] + p[2] * p[2]));
  int x = grid_bin(grid->edge[0], grid->shape.size[0], azimuth);
  int y = grid_bin(grid->edge[1], grid->shape.size[1], elevation);
  return x < 0 || y < 0 ? -1 : y * grid->shape.size[0] + x;
}

// Contacts of a site are those of all geoms that are welded to its body. The reading has the sign of
// the contact's own frame where the body of the weld has the larger number of the two, and the
// opposite one elsewhere, as in the released plugin; 0: not a contact of the weld.
static double contact_sign(const mjModel* m, const mjContact* contact, int weld) {
  bool touches = false;
  int largest = -1;
  for (int i = 0; i < 2; i++) {
    if (contact->geom[i] < 0) continue;
    int body = m->geom_bodyid[contact->geom[i]];
    touches = touches || m->body_weldid[body] == weld;
    if (body > largest) largest = body;
  }
  return !touches ? 0 : largest == weld ? 1 : -1;
}

// Force and torque of contact i in a frame, each ordered z, x, y.
static void contact_wrench(const mjModel* m, const mjData* d, int i, const double* mat,
                           double out[6]) {
  double wrench[6], world[3], local[3];
  mj_contactForce(m, d, i, wrench);
  for (int part = 0; part < 2; part++) {
    mju_mulMatTVec3(world, d->contact[i].frame, wrench + 3 * part);
    mju_mulMatTVec3(local, mat, world);
    out[3 * part] = local[2];
    out[3 * part + 1] = local[0];
    out[3 * part + 2] = local[1];
  }
}

static void grid_read(const mjModel* m, mjData* d, const snGrid* grid, int sensor,
                      double* distance) {
  int site = m->sensor_objid[sensor], taxels = grid->taxels;
  int weld = m->body_weldid[m->site_bodyid[site]];
  const double *mat = d->site_xmat + 9 * site, *pos = d->site_xpos + 3 * site;
  double* reading = d->sensordata + m->sensor_adr[sensor];
  SN_ASSERT(m->sensor_dim[sensor] == taxels * grid->shape.channels);
  mju_zero(reading, m->sensor_dim[sensor]);
  mju_zero(distance, taxels);
  memset(grid->contacts, 0, (size_t)taxels * sizeof *grid->contacts);
  for (int i = 0; i < d->ncon; i++) {
    double sign = contact_sign(m, &d->contact[i], weld);
    if (sign == 0) continue;
    double from[3], local[3], wrench[6];
    mju_sub3(from, d->contact[i].pos, pos);
    mju_mulMatTVec3(local, mat, from);
    int taxel = grid_taxel(grid, local);
    if (taxel < 0) continue;
    contact_wrench(m, d, i, mat, wrench);
    for (int k = 0; k < grid->shape.channels; k++) reading[k * taxels + taxel] += sign * wrench[k];
    distance[taxel] += mju_norm3(local);
    grid->contacts[taxel]++;
  }
  for (int k = 0; k < taxels; k++) {
    if (grid->contacts[k]) distance[k] /= grid->contacts[k];
  }
}

static void grid_compute(const mjModel* m, mjData* d, int instance, int capability) {
  const snGrid* grid = (const snGrid*)d->plugin_data[instance];
  double* distance = grid->distance;
  for (int s = 0; s < m->nsensor; s++) {
    if (!grid_sensor(m, s, instance)) continue;
    grid_read(m, d, grid, s, distance);
    distance += grid->taxels;
  }
}

static void grid_reset(const mjModel* m, mjtNum* state, void* data, int instance) {
  const snGrid* grid = data;
  mju_zero(grid->distance, grid->sensors * grid->taxels);
}

// A taxel is drawn as a plate in front of its contacts that spans its angles; red, green and blue
// are the first three channels relative to the largest normal force.
static void grid_draw(const mjModel* m, const mjData* d, mjvScene* scene, const snGrid* grid,
                      const double* distance, int sensor, int instance) {
  static const double kNear = 0.98, kThin = 0.02;
  int site = m->sensor_objid[sensor], nx = grid->shape.size[0], ny = grid->shape.size[1];
  const double *mat = d->site_xmat + 9 * site, *reading = d->sensordata + m->sensor_adr[sensor];
  double most = 0;
  for (int k = 0; k < nx * ny; k++) most = fmax(most, fabs(reading[k]));
  if (!(most > 0)) return;
  for (int k = 0; k < nx * ny; k++) {
    double r = distance[k];
    if (!(r > 0)) continue;
    if (scene->ngeom >= scene->maxgeom) {
      mj_warning((mjData*)d, mjWARN_VGEOMFULL, scene->maxgeom);
      return;
    }
    const double *ex = grid->edge[0] + k % nx, *ey = grid->edge[1] + k / nx;
    double azimuth = (ex[0] + ex[1]) / 2, elevation = (ey[0] + ey[1]) / 2, sa, ca, se, ce;
    sn_sincos(azimuth, &sa, &ca);
    sn_sincos(elevation, &se, &ce);
    // columns: along the azimuth, along the elevation, towards the site
    const double frame[9] = {ca, -sa * se, -sa * ce, 0, ce, -se, sa, ca * se, ca * ce};
    const double size[3] = {r * (ex[1] - ex[0]) / 2, r * (ey[1] - ey[0]) / 2, kThin * r};
    double turned[9], pos[3];
    mju_mulMatMat(turned, mat, frame, 3, 3, 3);
    for (int i = 0; i < 3; i++) pos[i] = d->site_xpos[3 * site + i] - kNear * r * turned[3 * i + 2];
    float rgba[4] = {1, 1, 1, 1};
    for (int c = 0; c < 3 && c < grid->shape.channels; c++) {
      rgba[c] = (float)(fabs(reading[c * nx * ny + k]) / most);
    }
    mjvGeom* geom = scene->geoms + scene->ngeom;
    mjv_initGeom(geom, mjGEOM_BOX, size, pos, turned, rgba);
    geom->objtype = mjOBJ_UNKNOWN;
    geom->objid = instance;
    geom->category = mjCAT_DECOR;
    geom->segid = scene->ngeom++;
  }
}

static void grid_visualize(const mjModel* m, mjData* d, const mjvOption* option, mjvScene* scene,
                           int instance) {
  const snGrid* grid = (const snGrid*)d->plugin_data[instance];
  const double* distance = grid->distance;
  for (int s = 0; s < m->nsensor; s++) {
    if (!grid_sensor(m, s, instance)) continue;
    grid_draw(m, d, scene, grid, distance, s, instance);
    distance += grid->taxels;
  }
}

static const char* const kAttribute[] = {"nchannel", "size", "fov", "gamma"};

const mjpPlugin plugin_touch_grid = {
    .name = "mujoco.sensor.touch_grid",
    .nattribute = 4,
    .attributes = kAttribute,
    .capabilityflags = mjPLUGIN_SENSOR,
    .needstage = mjSTAGE_ACC,
    .nstate = config_no_state,
    .nsensordata = grid_nsensordata,
    .init = grid_init,
    .destroy = config_destroy,
    .reset = grid_reset,
    .compute = grid_compute,
    .visualize = grid_visualize,
};
