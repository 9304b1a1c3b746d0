/** A screen on a wall: it stays on while the board is seen. */

export function keepAwake() {
  if (!('wakeLock' in navigator)) return;
  let lock = null;
  const ask = async () => {
    if (lock || document.visibilityState !== 'visible') return;
    try {
      lock = await navigator.wakeLock.request('screen');
      lock.addEventListener('release', () => {
        lock = null;
      });
    } catch { /* the battery is low, or the system says no: the next tap asks again */
    }
  };
  document.addEventListener('visibilitychange', ask);
  addEventListener('pointerdown', ask);
  ask();
}
