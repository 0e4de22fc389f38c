import { setFlagsFromString } from 'node:v8';

/** Growth of the heap, in percent of the live objects, after which V8 runs the next full garbage collection. */
const growingPercent = 250;

/**
 * Makes V8 use a constant heap growth factor. By default, the factor depends on the allocation rate and is almost zero
 * after a quiet period. The next burst of work would then cause a full garbage collection every second, which delays
 * all requests. Call this function after startup, because changing a V8 flag invalidates all cached code.
 */
export function setHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${growingPercent}`);
}
