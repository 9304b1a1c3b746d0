/**
 * Which address is which board's. A table may have any name without a slash and controls; `.` and `..` would
 * be steps of a path, also when they are spelled with %, so they stand in the query.
 */

/** The name of the board that an address shows; null: it shows no board. */
export function boardOf({pathname, search}) {
  const found = /^\/board\/([^/]+)\/?$/.exec(pathname);
  if (!found) return new URLSearchParams(search).get('board');
  try {
    return decodeURIComponent(found[1]);
  } catch {
    return null;
  }
}

/** The address of a board, with what else the query says of this screen. */
export function addressOf(name, search = '') {
  const query = new URLSearchParams(search);
  query.delete('board');
  query.delete('boards');
  const isStep = name === '.' || name === '..';
  if (isStep) query.set('board', name);
  const rest = query.size ? `?${query}` : '';
  return isStep ? `/${rest}` : `/board/${encodeURIComponent(name)}${rest}`;
}
