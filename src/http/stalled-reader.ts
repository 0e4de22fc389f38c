/** What can be seen of an answer on its way out. */
interface Outflow {
  /** What still waits for the reader. */
  readonly writableLength: number;
  destroy(): unknown;
}

/** So often is looked while one may stall: one is cut off a quarter later than it might be, not as much again. */
const looks = 4;

/**
 * A client that holds its connection and takes nothing of what waits for it would hold the memory for ever: it is cut
 * off when it has taken nothing for so long. `handedOver` is all that was ever written, in the measure of
 * `writableLength`; what of it no longer waits was taken. What waits tells nothing by itself: where bookmarks come as
 * regularly as the looks, the same amount is on its way each time.
 */
export function destroyWhenStalled(response: Outflow, milliseconds: number, handedOver: () => number): () => void {
  let takenBefore: number | undefined;
  let inVain = 0;
  const timer = setInterval(() => {
    const waiting = response.writableLength;
    const taken = handedOver() - waiting;
    inVain = waiting > 0 && taken === takenBefore ? inVain + 1 : 0;
    takenBefore = waiting > 0 ? taken : undefined;
    if (inVain < looks) return;
    clearInterval(timer);
    response.destroy();
  }, milliseconds / looks);
  timer.unref();
  return () => clearInterval(timer);
}
