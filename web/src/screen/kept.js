/** What the device keeps for this page, as JSON under a name: for good, or for this tab. It may keep nothing. */
const stores = {
  good: () => localStorage,
  tab: () => sessionStorage
};

/** The value that is kept; null: none, undefined: nothing can be kept. */
export function kept(name, where = 'good') {
  try {
    return JSON.parse(stores[where]().getItem(name));
  } catch {
    return undefined;
  }
}

/** Keeps a value; null takes away what was kept. */
export function keep(name, value, where = 'good') {
  try {
    if (value === null) stores[where]().removeItem(name);
    else stores[where]().setItem(name, JSON.stringify(value));
  } catch { /* the device keeps nothing, or has no room */
  }
}
