import { describe, expect, it } from 'vitest';
import { StatusError } from '../api/status.ts';
import { ManualClock } from '../lib/clock.ts';
import type { Host, InstanceDriver } from './host.ts';
import { defaultHostTimeouts, hostWithTimeouts } from './host-with-timeouts.ts';

const place = { namespace: 'a', name: 'b' };

/** A host that never responds. It records the signals of its calls. */
function silentHost(signals: AbortSignal[] = []): Host {
  const never = (call?: { readonly signal?: AbortSignal }) => {
    if (call?.signal !== undefined) signals.push(call.signal);
    return new Promise<never>(() => {});
  };
  const driver: InstanceDriver = {
    install: (_wanted, call) => never(call),
    observe: (_place, call) => never(call),
    remove: (_place, _of, call) => never(call),
    sleep: (_place, call) => never(call),
    sleepDataLoss: (_place, call) => never(call),
    wake: (_place, call) => never(call),
    watch: () => never(),
  };
  return {
    ...driver,
    spaces: driver,
    preboundRoles: ['cluster-admin'],
    discover: never,
    clusterApi: () => ({ send: () => never() }),
    logs: () => never(),
  };
}

describe('a host with timeouts', () => {
  it('rejects a call after its timeout, aborts it and names the cluster', async () => {
    const clock = new ManualClock();
    const signals: AbortSignal[] = [];
    const host = hostWithTimeouts(silentHost(signals), 'far', clock);
    const asked = [
      ...[
        host.discover(),
        host.observe(place),
        host.spaces.observe(place),
        Promise.resolve(host.sleepDataLoss?.(place)),
      ].map((call) => [defaultHostTimeouts.read, call] as const),
      ...[host.sleep(place), host.wake(place), host.spaces.sleep(place)].map(
        (call) => [defaultHostTimeouts.change, call] as const,
      ),
      ...[host.install({ location: place, owner: 'o' }), host.remove(place, { owner: 'o' })].map(
        (call) => [defaultHostTimeouts.run, call] as const,
      ),
    ];
    const ends = asked.map(([patience, call]) => call.then(undefined, (error: unknown) => ({ patience, error })));
    clock.advance(defaultHostTimeouts.run);
    for (const end of await Promise.all(ends)) {
      const { patience, error } = end as { patience: number; error: unknown };
      expect(error).toBeInstanceOf(StatusError);
      expect(error).toMatchObject({
        code: 503,
        message: `the cluster far did not respond within ${patience / 1000} seconds`,
      });
    }
    expect(signals).toHaveLength(9);
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    expect(host.preboundRoles).toEqual(['cluster-admin']);
  });

  it('aborts a call when the caller’s signal fires, with its reason', async () => {
    const ending = new AbortController();
    const host = hostWithTimeouts(silentHost(), 'far', new ManualClock());
    const asked = host.observe(place, { signal: ending.signal });
    ending.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
  });
});
