import type { JsonObject } from '@flotilla/json';
import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { ManualClock } from '../../../lib/clock.ts';
import { openMemoryStore } from '../../../store/memory.ts';
import { openReplicas } from '../../../store/replicas.fixture.ts';
import { addressesOf, healthCheckPortOf, specOf, takenNodePortsOf } from '../rules/services/service-spec.ts';
import { ServicesTestEnv } from './services.fixture.ts';

afterEach(() => void vi.restoreAllMocks());

const addresses = ['10.96.0.10', '10.96.0.11'];
const nodePorts = [30_001, 30_002];

type Step = {
  readonly replica: number;
  readonly do: 'create' | 'update' | 'remove';
  readonly name: number;
  readonly spec: JsonObject;
};

const automatic = undefined;
const spec: fc.Arbitrary<JsonObject> = fc
  .record({
    type: fc.constantFrom('ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName'),
    address: fc.constantFrom(automatic, ...addresses, 'None'),
    nodePort: fc.constantFrom(automatic, ...nodePorts),
    isLocal: fc.boolean(),
  })
  .map(({ type, address, nodePort, isLocal }) => ({
    type,
    ...(type === 'ExternalName' ? { externalName: 'a.example' } : {}),
    ...(type === 'ExternalName' || address === undefined ? {} : { clusterIP: address }),
    ...(type === 'LoadBalancer' && isLocal ? { externalTrafficPolicy: 'Local' } : {}),
    ports: [{ port: 80, ...(type === 'ClusterIP' || nodePort === undefined ? {} : { nodePort }) }],
  }));

const step: fc.Arbitrary<Step> = fc.record({
  replica: fc.nat(1),
  do: fc.constantFrom('create', 'create', 'update', 'remove'),
  name: fc.nat(5),
  spec,
});

function run(env: ServicesTestEnv, { do: action, name, spec: given }: Step): Promise<unknown> {
  if (action === 'remove') return env.remove(`s${name}`);
  return action === 'create' ? env.create(`s${name}`, given) : env.update(`s${name}`, given);
}

/** Checks that no value belongs to two services, and that IPAddress objects exist for exactly the addresses in use. */
function expectNoConflicts(env: ServicesTestEnv): void {
  const specs = env.services.peekAll().map(({ object }) => specOf(object));
  const taken = specs.flatMap(addressesOf).filter((address) => address !== 'None');
  const ports = specs
    .flatMap((each) => [...takenNodePortsOf(each), healthCheckPortOf(each)])
    .filter((port) => port !== 0);
  expect(new Set(taken).size).toBe(taken.length);
  expect(new Set(ports).size).toBe(ports.length);
  expect(env.addressNames().toSorted()).toEqual(taken.toSorted());
}

it('two replicas never give the same address or port to two services, and release all of them', async () => {
  // With a constant random number, all writers first choose the same values, so they conflict.
  vi.spyOn(Math, 'random').mockReturnValue(0);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { maxLength: 10 }), { maxLength: 5 }), async (rounds) => {
      const store = openMemoryStore({ clock: new ManualClock() });
      const { replicas } = await openReplicas(2, async (shared) => await ServicesTestEnv.open(shared), store);
      const [first, second] = replicas;
      if (first === undefined || second === undefined) throw new Error('two replicas were requested');
      for (const round of rounds) {
        for (const { gate } of replicas) gate.hold();
        const writing = round.map((each) => run((each.replica === 0 ? first : second).env, each));
        for (const result of await Promise.allSettled(writing)) {
          if (result.status === 'rejected')
            expect(String(result.reason)).not.toMatch(/behind the store|Internal error/);
        }
        for (const { gate } of replicas) gate.open();
        await Promise.all(replicas.map(({ env }) => env.services.freshRevision()));
        for (const { env } of replicas) expectNoConflicts(env);
      }
      for (const { object } of first.env.services.peekAll()) await first.env.remove(object.metadata.name ?? '');
      await second.env.services.freshRevision();
      expect(second.env.addressNames()).toEqual(['10.96.0.1']);
      // All released values can be taken again.
      for (const [index, clusterIP] of addresses.entries()) {
        const ports = [{ port: 80, nodePort: nodePorts[index] ?? 0 }];
        await second.env.create(`last-${index}`, { type: 'NodePort', clusterIP, ports });
      }
    }),
    { numRuns: 40 },
  );
});
