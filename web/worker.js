/**
 * The service worker. It keeps the shell (this page's own files), so that the page opens without the
 * network and says that it is not connected. It never keeps a table, a snapshot or an answer: what the page knew last,
 * the page keeps itself (src/screen/known.js).
 */
const CACHE = 'trestle-shell';
/** The addresses whose answer is the page itself. Others, as /healthz, are none of the worker's. */
const PAGE = /^\/(pair|index\.html)?$|^\/board\//;
const SHELL = /^\/(built|src|style|languages|fonts|icons)\/|^\/manifest\.webmanifest$/;
const BUILT = /^\/built\//;

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.add('/')).then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

// The first page is loaded before there is a worker: it says what it was made of. Built files of earlier versions go.
self.addEventListener('message', (event) => {
  const paths = Array.isArray(event.data?.keep) ? event.data.keep.slice(0, 200) : [];
  event.waitUntil(keep(paths.filter((path) => SHELL.test(path))));
});

async function keep(paths) {
  await Promise.all(paths.map((path) => fresh(path, path).catch(() => null)));
  if (!paths.some((path) => BUILT.test(path))) return;
  const cache = await caches.open(CACHE);
  const page = await (await cache.match('/'))?.clone().text() ?? '';
  for (const {url} of await cache.keys()) {
    const {pathname} = new URL(url);
    const isNamed = page.includes(pathname) || page.includes(pathname.replace(/[^/]+$/, '"'));
    // Another page may be of another version, and the page that is kept of a third.
    if (BUILT.test(pathname) && !paths.includes(pathname) && !isNamed) await cache.delete(pathname);
  }
}

// A tap on a notification goes to the page that told it.
self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(show(new URL(event.notification.data ?? '/', self.location.origin)));
});

async function show({href}) {
  const pages = await self.clients.matchAll({type: 'window'});
  const page = pages.find(({url}) => url === href);
  return page ? page.focus() : self.clients.openWindow(href);
}

self.addEventListener('fetch', (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== 'GET' || url.origin !== self.location.origin) return;
  if (event.request.mode === 'navigate') {
    if (PAGE.test(url.pathname)) event.respondWith(fresh(event.request, '/'));
  } else if (SHELL.test(url.pathname)) {
    event.respondWith(fresh(event.request, url.pathname));
  }
});

/**
 * Answers with the server's file, and keeps a copy of it. Without a server, or where a proxy says that it
 * does not answer: the copy. The server is asked first,
 * so a page never mixes files of two versions while it is connected.
 */
async function fresh(request, key) {
  const cache = await caches.open(CACHE);
  let answer;
  try {
    answer = await whole(await fetch(request));
  } catch (error) {
    const kept = await cache.match(key);
    if (kept) return kept;
    throw error;
  }
  if (answer.status >= 500) return await cache.match(key) ?? answer;
  if (answer.ok) await cache.put(key, answer.clone()).catch(() => null);
  return answer;
}

/**
 * An answer with all of its body. A connection may end in the midst of one: the page must not get a part, and the
 * cache gives up its copy as soon as another one begins to come.
 */
async function whole(answer) {
  const {status, statusText, headers} = answer;
  if (!answer.ok) return answer;
  return new Response(await answer.arrayBuffer(), {status, statusText, headers});
}
