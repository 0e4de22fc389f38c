import type { HealthCheck } from '../../http/plane.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Store } from '../../store/store.ts';

/** The result is cached for this time, because anonymous callers may request the check at any rate. */
const cacheMilliseconds = 1_000;

/**
 * Reports whether the store accepts writes. A full or read-only disk does not justify a restart (livez), and reads
 * still work, but load balancers should send writes elsewhere (readyz).
 */
export function diskHealthCheck(store: Pick<Store, 'assertWritable'>, clock: Clock, log: Log): HealthCheck {
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
      throw error;
    }
  };
  return {
    name: 'disk',
    on: ['readyz'],
    check() {
      if (latest === undefined || clock.elapsed() - latest.at >= cacheMilliseconds) {
        latest = { at: clock.elapsed(), outcome: check() };
      }
      return latest.outcome;
    },
  };
}
