// Durations and how a lifted row looks (docs/LAYOUT.md, "Motion"), and how old a row is.
import {beganMs} from '../model/read.js';

/** For each value: the usual one, the least and the most. */
const MOTION = Object.entries({
  circular: [0.5, 0, 10],
  circularFirst: [0, 0, 10],
  face: [0, 0, 10],
  expand: [0.3, 0, 10],
  longPress: [0.5, 0, 10],
  lift: [0.3, 0, 10],
  drop: [0.3, 0, 10],
  liftedScale: [1.05, 0.1, 10],
  liftedAlpha: [0.98, 0, 1],
  shadowX: [-5, -100, 100],
  shadowY: [0, -100, 100],
  shadowRadius: [5, 0, 100],
  shadowOpacity: [0.4, 0, 1],
  hidesLifted: [1, 0, 1],
});

/** All values of the table's motion, each within its bounds. */
export function motionOf(settings) {
  const given = settings?.motion ?? {};
  const motion = {};
  for (const [name, [usual, least, most]] of MOTION) {
    const value = Object.hasOwn(given, name) ? given[name] : usual;
    motion[name] = Number.isFinite(value) ? Math.min(Math.max(value, least), most) : usual;
  }
  return motion;
}

/** An age as boards show it, which count: `0:42`, `7:05`, `1 h 05`, `3 d`. */
export function ageText(seconds) {
  const whole = Math.floor(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)}:${whole % 60 < 10 ? '0' : ''}${whole % 60}`;
  if (whole < 86400) {
    const minutes = Math.floor(whole / 60) % 60;
    return `${Math.floor(whole / 3600)} h ${minutes < 10 ? '0' : ''}${minutes}`;
  }
  return `${Math.floor(whole / 86400)} d`;
}

/** The milliseconds for which a row has been where it stands; null: its age does not count there. */
function ageMs(row, kind, nowMs, section) {
  const sections = kind?.ages?.in;
  // A row that is put off is not late.
  if (row.sleep || sections?.length && !sections.includes(section)) return null;
  return Math.max(0, nowMs - (beganMs(row, kind) ?? nowMs));
}

/** Whether a row is as old as its kind calls late: what `ages` says, without words. */
export function isLate(row, kind, nowMs, section) {
  const late = kind?.ages?.late;
  return Number.isFinite(late) && Math.floor((ageMs(row, kind, nowMs, section) ?? -1) / 1000) >= late;
}

/** How old a row is where it stands: never less than nothing, although clocks differ. No text: it has no age there. */
export function ages(row, kind, nowMs, section) {
  const ms = ageMs(row, kind, nowMs, section);
  if (ms === null) return {ms: 0, level: '', text: ''};
  const seconds = Math.floor(ms / 1000);
  const warn = kind?.ages?.warn;
  let level = '';
  if (isLate(row, kind, nowMs, section)) level = 'late';
  else if (Number.isFinite(warn) && seconds >= warn) level = 'warn';
  return {ms, level, text: ageText(seconds)};
}
