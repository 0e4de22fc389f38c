import type { HealthCheck } from '../../http/plane.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Store } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';

/**
 * The time for which the result is cached, because anonymous callers may request the check at any rate. The time is
 * longer for a shared store, because every replica writes to it.
 */
const [cacheMilliseconds, sharedCacheMilliseconds] = [1_000, 5_000] as const;

/**
 * Reports whether the store accepts writes. A full or read-only disk does not justify a restart (livez), and reads
 * still work, but load balancers should send writes elsewhere (readyz). If a shared store is full, there is no better
 * server: the check only logs it, because a load balancer would otherwise stop reads at all servers.
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
