"""URDF by both compilers: every kind of joint, shape, extension and mistake."""

import os

import differ
import pytest
import robots

INERTIAL = ('<inertial><origin xyz=".1 0 .2" rpy=".1 .2 .3"/><mass value="2"/>'
            '<inertia ixx=".1" ixy=".01" ixz="0" iyy=".1" iyz=".02" izz=".12"/></inertial>')
WEIGHTLESS = '<inertial><mass value="0"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>'
PLACE = '<origin xyz="1 0 0" rpy="0 1 .5"/>'
USUAL = ('<origin xyz="1 2 3" rpy=".1 .2 .3"/><axis xyz="0 1 0"/>'
         '<limit lower="-1" upper="2" effort="10" velocity="3"/>')
BOX, BALL, CAN = '<box size="1 2 3"/>', '<sphere radius=".1"/>', '<cylinder radius=".1" length=".4"/>'


def link(name, content=INERTIAL):
    return f'<link name="{name}">{content}</link>'


def joint(name, kind, parent, child, content=USUAL):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{content}</joint>'


def shape(role, geometry, extra=""):
    return f"<{role}>{extra}<geometry>{geometry}</geometry></{role}>"


TWO = link("a") + link("b")
ARM = (link("a", INERTIAL + shape("collision", BALL))
       + link("b", INERTIAL + shape("visual", BOX, PLACE) + shape("collision", CAN, PLACE))
       + link("c", INERTIAL + shape("collision", BOX) + shape("visual", BOX))
       + joint("j", "revolute", "a", "b") + joint("k", "fixed", "b", "c"))
CASES = {
    "noinertial": link("a", "") + link("b", shape("collision", BOX)) + joint("j", "revolute", "a", "b"),
    "capsule": TWO.replace("</link>", shape("collision", '<capsule radius=".1" length="1"/>') + "</link>")
               + joint("j", "revolute", "a", "b"),
    "order": joint("k", "fixed", "b", "c") + joint("j", "revolute", "a", "b") + link("c") + link("b") + link("a"),
    "roots": TWO,
    "material": '<material name="m"><color rgba="1 0 0 1"/></material><mujoco><compiler discardvisual="false"/></mujoco>'
                + link("a", INERTIAL + shape("visual", BOX, '<material name="m"/>')
                       + shape("visual", BALL, '<material name="n"><color rgba="0 1 0 .5"/></material>')),
    "dynamics": TWO + joint("j", "revolute", "a", "b", '<dynamics damping=".1" friction=".2"/><axis xyz="0 0 2"/>'
                            '<limit effort="10" velocity="1" lower="-1" upper="1"/>'),
    "unlimited": TWO + joint("j", "revolute", "a", "b", ""),
    "effort": TWO + joint("j", "continuous", "a", "b", '<limit effort="0" velocity="0"/>'),
    "axis": TWO + joint("j", "prismatic", "a", "b", '<limit effort="5" velocity="0" lower="0" upper="1"/>'),
    "cycle": TWO + joint("j", "revolute", "a", "b") + joint("k", "revolute", "b", "a"),
    "twice": link("a") + link("a"),
    "joints": TWO + link("c") + joint("j", "revolute", "a", "b") + joint("j", "revolute", "a", "c"),
    "missing": link("a") + joint("j", "revolute", "a", "z"),
    "kind": TWO + joint("j", "screw", "a", "b"),
    "world": link("world", "") + link("b") + joint("j", "fixed", "world", "b"),
    "weightless": link("a", WEIGHTLESS) + link("b") + joint("j", "revolute", "a", "b"),
    "moving": link("a") + link("b", WEIGHTLESS + shape("collision", BOX)) + joint("j", "revolute", "a", "b"),
    "nameless": "<link/>",
    "others": TWO + joint("j", "revolute", "a", "b") + '<transmission name="t"/><gazebo reference="a"/>',
    "quat": link("a", INERTIAL + shape("collision", BOX, '<origin xyz="1 1 1" quat="1 1 0 0"/>')),
}
for kind in ("revolute", "continuous", "prismatic", "fixed", "floating", "planar", "spherical"):
    CASES[kind] = link("a", INERTIAL + shape("collision", BALL)) + link("b", INERTIAL + shape("collision", CAN)) \
        + joint("j", kind, "a", "b")
for number, mimic in enumerate(('joint="none"', "", 'joint="j"')):  # what cannot be followed is not
    CASES[f"mimic{number}"] = CASES["revolute"].replace("</joint>", f"<mimic {mimic}/></joint>")
CASES["mimic of a planar joint"] = CASES["planar"] + link("c", INERTIAL) + joint("k", "revolute", "b", "c").replace(
    "</joint>", '<mimic joint="j"/></joint>')
for number, extension in enumerate((
        "", '<compiler discardvisual="false"/>', '<compiler fusestatic="false"/>',
        '<compiler discardvisual="false" fusestatic="false"/>', '<compiler settotalmass="5"/>',
        '<compiler balanceinertia="true" boundmass=".1" boundinertia=".01"/>', '<compiler inertiafromgeom="true"/>',
        '<compiler angle="degree"/>', '<compiler alignfree="true"/>', '<compiler eulerseq="zyx"/>',
        '<option gravity="0 0 -1" timestep=".01"/>', '<size njmax="100"/>')):
    CASES[f"extension{number}"] = f"<mujoco>{extension}</mujoco>{ARM}"


@pytest.mark.parametrize("name", CASES)
def test_urdf(name):
    found = differ.isolated(differ.different)({"main.xml": f'<robot name="r">{CASES[name]}</robot>'})
    assert not found, found


def test_robots():
    """Random ones; more with SINEW_RANDOM=n."""
    compare, compared = differ.isolated(lambda files: differ.different(files) or differ.load(files)[0] is None), 0
    for seed in range(int(os.environ.get("SINEW_RANDOM", 120))):
        found = compare(robots.Robot(seed).files())
        assert found in (True, False), f"seed {seed}: {found}"
        compared += not found
    assert compared > 40


def test_robots_are_saved():
    """As MJCF, which has no place for the inertial of the world alone."""
    compare = differ.isolated(differ.saved)
    for seed in range(int(os.environ.get("SINEW_RANDOM", 60))):
        files = robots.Robot(seed).files()
        assert "world" in files["main.xml"] or not (found := compare(files)), f"seed {seed}: {found}"


def test_one_mesh_at_two_scales_each_used_twice():
    """The released compiler takes the mesh of the first scale where another one comes up again."""
    scales = ["1 1 1", "2 1 1", "1 1 1", "2 1 1"]
    text = link("a", "".join(shape("collision", f'<mesh filename="a.obj" scale="{s}"/>') for s in scales))
    files = {"main.xml": f'<robot name="r">{text}</robot>', **robots.FILES}
    meshes = differ.isolated(lambda: [model.geom_dataid.tolist() for model in differ.load(files)[::2]])
    assert meshes() == [[0, 1, 0, 1], [0, 1, 0, 0]]
