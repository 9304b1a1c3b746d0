/**
 * How large a board is drawn: by how far people stand from the screen. ISO 9241-303 asks for capital letters of at least
 * 16 minutes of arc, and calls 20 good.
 */

/** The height of a capital letter in an em of the page's font. */
const CAPITAL = 0.688;
/** The height of capitals of a title in minutes of arc. Each other text has at least four fifths of a title's size. */
const GOOD = 20;
/** The size of a title in points. No text is smaller than four fifths of it. */
const TITLE = 15;
/** The diagonal of a screen at a wall, in millimetres: 43 inches. A browser does not tell it. */
const WALL = 43 * 25.4;
/** A browser's pixel where nothing else is known, in millimetres. */
const PIXEL = 25.4 / 96;
/** How far people stand, in millimetres. What is in the hand is as large as its maker had it. */
const AWAY = {
  counter: 700,
  wall: 2000,
};
/** A row is never narrower than so many points: it is drawn smaller instead. */
const LEAST = 160;
/** So many points are needed by what stands around the rows. */
const LEAST_AROUND = 320;

/** The lower side of a kiosk's screen that nobody holds, in a browser's pixels: of phones, and of tablets, it is less. */
const HUNG = 600, STOOD = 850;

/** How far people probably stand: `{width, height}` of the screen in pixels, whether it can be touched, is a kiosk. */
export function distanceOf({width, height, isTouched, isKiosk}) {
  if (isKiosk && Math.min(width, height) >= (isTouched ? STOOD : HUNG)) return isTouched ? 'counter' : 'wall';
  return Math.max(width, height) >= 2400 ? 'counter' : 'hand';
}

function pixelOf(distance, {width, height}) {
  return distance === 'wall' ? WALL / Math.max(1, Math.hypot(width, height)) : PIXEL;
}

/** The pixels of a point, so that a title is read from there. */
export function scaleAt(distance, screen) {
  if (!Object.hasOwn(AWAY, distance)) return 1;
  const high = Math.tan((GOOD / 60) * (Math.PI / 180)) * AWAY[distance];
  return Math.ceil((high / (TITLE * CAPITAL * pixelOf(distance, screen))) * 1000) / 1000;
}

/** The pixels of a point of rows, and of what stands around them, in so many pixels: that is never smaller than at 1. */
export function fitting(scale, width) {
  const most = (points) => (width > 0 ? Math.min(scale, width / points) : scale);
  return {rows: most(LEAST), around: Math.max(1, most(LEAST_AROUND))};
}
