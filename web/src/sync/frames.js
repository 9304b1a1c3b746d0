// Frames of the gateway: a head line, a newline, then bytes.

/** Longer frames are not taken: a chunk of the largest rows has some tens of MiB. */
export const LONGEST = 96 * 1024 * 1024;

/** {verb, name, rest} of a frame; null: it is none. */
export function parseFrame(data) {
  if (typeof data !== 'string' || data.length > LONGEST) return null;
  const end = data.indexOf('\n');
  const head = end < 0 ? data : data.slice(0, end);
  if (head.length > 4096) return null;
  const space = head.indexOf(' ');
  const rest = end < 0 ? '' : data.slice(end + 1);
  if (space < 0) return {verb: head, name: '', rest};
  return {verb: head.slice(0, space), name: head.slice(space + 1), rest};
}

/** An object of JSON; null: it is none. */
export function parseObject(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** A refusal of the page's own, in the shape of the daemon's. */
export function refusal(code, message, field) {
  return {ok: false, error: field === undefined ? {code, message} : {code, message, field}};
}

/** The code of a reply that is a refusal; undefined: it is none. */
export function codeOf(reply) {
  if (reply.ok === true) return undefined;
  return typeof reply.error?.code === 'string' ? reply.error.code : 'malformed';
}

/** A text, or none: what JSON has there may be anything. */
export function textOf(value) { return typeof value === 'string' ? value : ''; }

/** A number that is one, or the other. */
export function numberOf(value, other) { return Number.isFinite(value) ? value : other; }
