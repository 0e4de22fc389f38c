import type { HealthCheck } from '../http/plane.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Store } from '../store/store.ts';

/** Anybody may ask, as often as they like; the disk is asked once in so many milliseconds. */
const trusted = 1_000;

/**
 * Whether writes are taken. A full or read-only disk is no reason for a restart (livez), and what is there can still be
 * read; but who looks for a place to send writes to should look elsewhere.
 */
export function diskCheck(store: Pick<Store, 'assertWritable'>, clock: Clock, log: Log): HealthCheck {
  let latest: { readonly at: number; readonly outcome: Promise<void> } | undefined;
  let wasGood = true;
  const ask = async (): Promise<void> => {
    try {
      await store.assertWritable();
      if (!wasGood) log.info({}, 'the store takes writes again');
      wasGood = true;
    } catch (error) {
      if (wasGood) log.error({ error }, 'the store takes no writes; reads go on');
      wasGood = false;
      throw error;
    }
  };
  return {
    name: 'disk',
    on: ['readyz'],
    check() {
      if (latest === undefined || clock.elapsed() - latest.at >= trusted) {
        latest = { at: clock.elapsed(), outcome: ask() };
      }
      return latest.outcome;
    },
  };
}
