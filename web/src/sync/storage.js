// Where commands are kept until they are answered: IndexedDB in a browser, a map in tests.
//
// A storage has `put(record)`, `remove(key)`, `has(key)`, `all()` (promises; a record has a `key`),
// and `hold(name)`: a promise of true if no other page of this device holds the name, until this
// page ends.

/** A storage that others may share, as two pages do: give them the same `records` and `holds`. */
export function memoryStorage({records = new Map(), holds = new Map(), page = {}} = {}) {
  return {
    records,
    put: async (record) => {
      records.set(record.key, {...record});
    },
    remove: async (key) => {
      records.delete(key);
    },
    has: async (key) => records.has(key),
    all: async () => [...records.values()].map((record) => ({...record})),
    hold: async (name) => {
      if (!holds.has(name)) holds.set(name, page);
      return holds.get(name) === page;
    },
  };
}

function asked(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** The browser's storage; where it keeps nothing, a storage that lives as long as this page. */
export async function browserStorage(name = 'trestle') {
  let database;
  try {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore('pending', {keyPath: 'key'});
    database = await asked(request);
  } catch {
    return {...memoryStorage(), hold};
  }
  const store = (mode) => database.transaction('pending', mode, {durability: 'strict'}).objectStore('pending');
  return {
    hold,
    async put(record) {
      const pending = store('readwrite');
      const done = new Promise((resolve, reject) => {
        pending.transaction.oncomplete = resolve;
        pending.transaction.onabort = () => reject(pending.transaction.error);
      });
      pending.put(record);
      await done;
    },
    // Each is async, so that a database that was taken away is a promise that fails.
    remove: async (key) => asked(store('readwrite').delete(key)),
    has: async (key) => await asked(store('readonly').count(key)) > 0,
    all: async () => asked(store('readonly').getAll()),
  };
}

/**
 * Without locks two pages may both send what a third one left: the same bytes, so nothing is
 * doubled.
 */
function hold(name) {
  if (!globalThis.navigator?.locks) return Promise.resolve(true);
  return new Promise((resolve) => {
    navigator.locks
      .request(`trestle-${name}`, {ifAvailable: true},
        (lock) => {
          resolve(lock !== null);
          return lock === null ? undefined : new Promise(() => {});
        })
      .catch(() => resolve(true));
  });
}
