// Durations, how a lifted row looks (docs/LAYOUT.md, "Motion"), and how old a row is.

/** What holds if nothing is said. */
export const MOTION = Object.freeze({
  circular: 0.5, circularFirst: 0, face: 0, expand: 0.3, longPress: 0.5, lift: 0.3, drop: 0.3,
  liftedScale: 1.05, liftedAlpha: 0.98, shadowX: -5, shadowY: 0, shadowRadius: 5,
  shadowOpacity: 0.4, hidesLifted: 1,
});

const BOUNDS = {
  circular: [0, 10], circularFirst: [0, 10], face: [0, 10], expand: [0, 10], longPress: [0, 10],
  lift: [0, 10], drop: [0, 10], liftedScale: [0.1, 10], liftedAlpha: [0, 1],
  shadowX: [-100, 100], shadowY: [-100, 100], shadowRadius: [0, 100], shadowOpacity: [0, 1],
  hidesLifted: [0, 1],
};

/** All values of the table's motion, each within its bounds. */
export function motionOf(settings) {
  const given = settings?.motion ?? {};
  const motion = {};
  for (const name of Object.keys(MOTION)) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    const [least, most] = BOUNDS[name];
    motion[name] = Number.isFinite(value) ? Math.min(Math.max(value, least), most) : MOTION[name];
  }
  return motion;
}

/** How a lifted row looks on its way up, at a part of the time from 0 to 1. */
export function liftedAt(motion, part) {
  const at = Math.min(Math.max(part, 0), 1);
  return {
    scale: 1 + (motion.liftedScale - 1) * at, alpha: 1 + (motion.liftedAlpha - 1) * at,
    shadowX: motion.shadowX * at, shadowY: motion.shadowY * at,
    shadowRadius: motion.shadowRadius * at, shadowOpacity: motion.shadowOpacity * at,
  };
}

/** An age in words: `now`, `4 m`, `1 h 05`, `3 d`. */
export function ageText(seconds) {
  const whole = Math.floor(seconds);
  if (whole < 60) return 'now';
  if (whole < 3600) return `${Math.floor(whole / 60)} m`;
  if (whole < 86400) {
    const minutes = Math.floor(whole / 60) % 60;
    return `${Math.floor(whole / 3600)} h ${minutes < 10 ? '0' : ''}${minutes}`;
  }
  return `${Math.floor(whole / 86400)} d`;
}

/** How old a row is: never less than nothing, although clocks differ. */
export function ages(row, kind, nowMs) {
  const ms = Math.max(0, nowMs - (row.createdMs ?? nowMs));
  const {warn, late} = kind?.ages ?? {};
  const seconds = Math.floor(ms / 1000);
  let level = '';
  if (Number.isFinite(late) && seconds >= late) level = 'late';
  else if (Number.isFinite(warn) && seconds >= warn) level = 'warn';
  return {ms, level, text: ageText(seconds)};
}
