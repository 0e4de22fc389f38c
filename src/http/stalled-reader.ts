/** What can be seen of an answer on its way out. */
interface Outflow {
  /** What still waits for the reader. */
  readonly writableLength: number;
  destroy(): unknown;
}

/**
 * A client that holds its connection and takes nothing of what waits for it would hold the memory for ever: it is cut
 * off when it has taken nothing from one look to the next. `handedOver` is all that was ever written, in the measure of
 * `writableLength`; what of it no longer waits was taken. What waits tells nothing by itself: where bookmarks come as
 * regularly as the looks, the same amount is on its way each time.
 */
export function destroyWhenStalled(response: Outflow, milliseconds: number, handedOver: () => number): () => void {
  let takenBefore: number | undefined;
  const timer = setInterval(() => {
    const waiting = response.writableLength;
    const taken = handedOver() - waiting;
    if (waiting > 0 && taken === takenBefore) response.destroy();
    takenBefore = waiting > 0 ? taken : undefined;
  }, milliseconds);
  timer.unref();
  return () => clearInterval(timer);
}
