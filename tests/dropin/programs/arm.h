// A model in the program itself: an arm with a motor, a tendon and sensors over a floor with a box.
static const char* const ARM =
    "<mujoco model='arm'><option timestep='0.005' integrator='implicitfast'/>"
    "<asset><texture name='t' type='2d' builtin='checker' width='8' height='8' rgb1='1 0 0'/>"
    "<material name='m' texture='t'/></asset>"
    "<worldbody><light pos='0 0 3'/><camera name='c' pos='0 -3 1' xyaxes='1 0 0 0 0 1'/>"
    "<geom name='floor' type='plane' size='5 5 .1' material='m'/>"
    "<body name='upper' pos='0 0 1'><joint name='shoulder' type='ball' damping='.1'/>"
    "<geom type='capsule' size='.05' fromto='0 0 0 .4 0 0'/><site name='s1' pos='.2 0 .06'/>"
    "<body name='lower' pos='.4 0 0'><joint name='elbow' axis='0 1 0' range='-2 2' limited='true'/>"
    "<geom type='capsule' size='.04' fromto='0 0 0 .3 0 0'/><site name='tip' pos='.3 0 .05'/></body></body>"
    "<body name='box' pos='.5 0 .3'><freejoint/><geom type='box' size='.1 .1 .1'/></body></worldbody>"
    "<tendon><spatial name='cord' stiffness='1'><site site='s1'/><site site='tip'/></spatial></tendon>"
    "<actuator><motor name='motor' joint='elbow' gear='5'/></actuator>"
    "<sensor><framepos objtype='site' objname='tip'/><jointpos joint='elbow'/><accelerometer site='tip'/></sensor>"
    "<keyframe><key name='k' qpos='1 0 0 0 .5  .5 0 .3 1 0 0 0' ctrl='.2'/></keyframe></mujoco>";
