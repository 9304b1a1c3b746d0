// Numbers from outside, before anything is computed from them (docs/LAYOUT.md).

/** The largest length, in points. */
export const MOST = 1e6;

/** Heights are whole units of 1/1024 point. */
export const UNITS = 1024;

/** A number cut to the bound on both sides; `other` for what is none. */
export function bounded(value, other = 0) {
  if (typeof value !== 'number' || Number.isNaN(value)) return other;
  return Math.min(Math.max(value, -MOST), MOST);
}

/** The number if there is one, else what holds if nothing is said. */
export function said(value, other) { return value === undefined || value === null ? other : value; }

/** A height in whole units: above 0 and at most 1,000,000 points. */
export function heightUnits(points) {
  const sound = points > 0 ? Math.min(points, MOST) : 1;
  return Math.max(1, Math.floor(sound * UNITS + 0.5));
}
