import type { HealthCheck } from '../../http/plane.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Store } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';

/**
 * The time for which the result is cached, in milliseconds. The result is cached because anonymous callers may request
 * the check at any rate. For a shared store, it is cached longer, because the check of every replica writes to the
 * store.
 */
const [cacheMilliseconds, sharedCacheMilliseconds] = [1_000, 5_000] as const;

/**
 * Reports whether the store accepts writes. If a disk is full or read-only, a restart does not help (livez) and reads
 * still work, but load balancers should send writes elsewhere (readyz). If a shared store is full, no other server can
 * write either. The check then only logs this, because a failure would make load balancers stop reads at all servers.
 */
export function writeHealthCheck(
  store: Pick<Store, 'assertWritable' | 'isShared'>,
  clock: Clock,
  log: Log,
): HealthCheck {
  const cacheFor = store.isShared ? sharedCacheMilliseconds : cacheMilliseconds;
  let latest: { readonly at: number; readonly outcome: Promise<void> } | undefined;
  let wasWritable = true;
  const check = async (): Promise<void> => {
    try {
      await store.assertWritable();
      if (!wasWritable) log.info({}, 'the store accepts writes again');
      wasWritable = true;
    } catch (error) {
      if (wasWritable) log.error({ error }, 'the store rejects writes; reads still work');
      wasWritable = false;
      if (store.isShared && error instanceof StoreError && error.code === 'OutOfSpace') return;
      throw error;
    }
  };
  return {
    name: store.isShared ? 'store-writes' : 'disk',
    on: ['readyz'],
    check() {
      if (latest === undefined || clock.elapsed() - latest.at >= cacheFor) {
        latest = { at: clock.elapsed(), outcome: check() };
      }
      return latest.outcome;
    },
  };
}
