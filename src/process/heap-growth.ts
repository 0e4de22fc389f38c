import { setFlagsFromString } from 'node:v8';

/** The heap growth relative to the live objects, in percent, before the next full garbage collection. */
const growingPercent = 250;

/**
 * Makes V8 use a constant heap growth factor. By default the factor depends on the allocation rate: up to three times
 * the live heap, but next to nothing after a quiet period. A burst of work after such a period then causes a full
 * garbage collection each second, which delays every waiting request. Call this after startup: changing a flag makes V8
 * reject all code cached earlier, both of this program and of Node.
 */
export function setHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${growingPercent}`);
}
