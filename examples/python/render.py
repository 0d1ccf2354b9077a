"""Pictures: colours, depth and segments of a scene, without a window or a graphics card."""

import sys

import numpy as np

import sinew

model = sinew.MjModel.from_xml_string("""
<mujoco>
  <asset>
    <texture name="grid" type="2d" builtin="checker" width="256" height="256" rgb1=".2 .3 .4" rgb2=".3 .4 .5"/>
    <material name="floor" texture="grid" texrepeat="8 8" reflectance=".2"/>
  </asset>
  <worldbody>
    <light pos="0 0 3" dir="0 0 -1"/>
    <geom type="plane" size="2 2 .1" material="floor"/>
    <geom name="egg" type="ellipsoid" size=".3 .2 .2" pos="0 0 .2" rgba=".9 .5 .2 1"/>
    <camera name="eye" pos="1 -1 .8" xyaxes="1 1 0 -.4 .4 1"/>
  </worldbody>
</mujoco>""")
data = sinew.MjData(model)
sinew.mj_forward(model, data)
with sinew.Renderer(model, 240, 320) as renderer:
    renderer.update_scene(data, camera="eye")
    pixels = renderer.render()
    renderer.enable_depth_rendering()
    depth = renderer.render()
    renderer.enable_segmentation_rendering()
    segments = renderer.render()
if len(sys.argv) > 1:
    sinew.media.write_image(sys.argv[1], pixels)
egg = segments[..., 0] == model.geom("egg").id
print(f"the egg has {egg.sum()} of {egg.size} pixels, {depth[egg].min():.3f} m to {depth[egg].max():.3f} m from the camera, mean colour {pixels[egg].mean(axis=0).round()}")
assert egg.any() and np.isfinite(depth[egg]).all()
