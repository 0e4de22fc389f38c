import type { PlaneTarget } from '../gateway/gateway-target.ts';
import type { Clock } from '../lib/clock.ts';
import type { PlaneRunner } from './plane-runner.ts';
import { SlowRequests } from './workers/slow-requests.ts';

/**
 * Limits slow requests to planes on this thread in the same way as slow requests to planes on workers. With the limit,
 * a request that waits for a tenant's webhook releases its in-flight slot, because all tenants share these slots.
 */
export function withSlowRequestLimit(planes: PlaneRunner, clock: Clock): PlaneRunner {
  const slowRequests = new SlowRequests(clock);
  const limitedTargets = new WeakMap<PlaneTarget, PlaneTarget>();
  const limited = (id: string, target: PlaneTarget): PlaneTarget => {
    const known = limitedTargets.get(target);
    if (known !== undefined) return known;
    const created: PlaneTarget = {
      ...target,
      async serve(exchange) {
        const end = slowRequests.begin(id, exchange);
        try {
          return await target.serve(exchange);
        } finally {
          end();
        }
      },
    };
    limitedTargets.set(target, created);
    return created;
  };
  return {
    async open(id) {
      const opened = await planes.open(id);
      return opened && { ...opened, target: limited(id, opened.target) };
    },
    probe: (id) => planes.probe(id),
    runTask: planes.runTask,
    get loaded() {
      return planes.loaded;
    },
    takeUsage: () => planes.takeUsage(),
  };
}
