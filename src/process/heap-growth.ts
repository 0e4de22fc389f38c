import { setFlagsFromString } from 'node:v8';

/** By how much the heap may be larger than what was alive in it, before all of it is looked through again. */
const growingPercent = 250;

/**
 * Has V8 give the heap the same room at all times. By itself it gives the more the faster memory is taken: up to three
 * times what is alive, but next to nothing after a quiet while. Who comes then with much to do meets a collection of the
 * whole heap each second, and each is seen by all who wait. For when the start is over: V8 takes nothing that was compiled
 * earlier, neither of this program nor of Node, once a flag is another.
 */
export function giveHeapRoom(): void {
  setFlagsFromString(`--heap-growing-percent=${growingPercent}`);
}
