import fc from 'fast-check';
import { expect, it } from 'vitest';
import { StatusError } from '../../api/status.ts';
import { gcRange, pendingRange } from '../../registry/rows.ts';
import { client, openPlaneBench, type PlaneBench, plainKind, writing } from '../plane.fixture.ts';
import type { PlanePart } from '../plane-part.ts';

const kinds = [plainKind('widgets', 'Widget'), plainKind('things', 'Thing')];
const keys = ['widgets.test.example', 'things.test.example'];
const parts: readonly PlanePart[] = [{ resources: kinds, mount: () => [] }];
const namespaces = ['a', 'ab'];
const names = ['x', 'y'];

type Step =
  | { readonly do: 'make namespace' | 'delete namespace'; readonly namespace: string }
  | {
      readonly do: 'make' | 'hold' | 'release' | 'delete';
      readonly namespace: string;
      readonly key: string;
      readonly name: string;
    }
  | { readonly do: 'restart' | 'wait' };

const namespace = fc.constantFrom(...namespaces);
const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constantFrom('make namespace', 'delete namespace'), namespace }),
    fc.record({
      do: fc.constantFrom('make', 'hold', 'release', 'delete'),
      namespace,
      key: fc.constantFrom(...keys),
      name: fc.constantFrom(...names),
    }),
    fc.record({ do: fc.constantFrom('restart', 'wait') }),
  ) as fc.Arbitrary<Step>,
  { maxLength: 25 },
);

const finalizers = ['test.example/hold'];
const merge = (document: { metadata: { finalizers: string[] | null } }) =>
  ({ type: 'merge', document, findings: [] }) as const;

async function take(bench: PlaneBench, step: Step): Promise<void> {
  if (step.do === 'make namespace') await bench.create('namespaces', step.namespace);
  else if (step.do === 'delete namespace') await bench.remove('namespaces', step.namespace);
  else if (step.do === 'make') await bench.create(step.key, step.name, {}, step.namespace);
  else if (step.do === 'delete') await bench.remove(step.key, step.name, step.namespace);
  else if (step.do === 'hold' || step.do === 'release') {
    const patch = merge({ metadata: { finalizers: step.do === 'hold' ? finalizers : null } });
    await bench.kind(step.key).verbs.patch(client(step.namespace), step.name, patch, { ...writing, force: false });
  }
}

async function settle({ clock, upkeep }: PlaneBench): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await upkeep.idle();
    clock.advance(1_000);
  }
  await upkeep.idle();
}

/** Everything that is true at any moment when upkeep has nothing to do. */
function check(bench: PlaneBench): void {
  for (const key of keys) {
    for (const { object } of bench.kind(key).peekAll()) {
      const { namespace: place = '', finalizers: held, deletionTimestamp } = object.metadata;
      const around = bench.peek('namespaces', place);
      expect(around, `${place} of ${object.metadata.name}`).toBeDefined();
      if (around?.metadata.deletionTimestamp === undefined) continue;
      expect(deletionTimestamp).toBeDefined();
      expect(held).toEqual(finalizers);
    }
  }
  for (const { object } of bench.kind('namespaces').peekAll()) {
    if (object.metadata.deletionTimestamp === undefined) continue;
    const left = keys.reduce((sum, key) => sum + bench.kind(key).count(object.metadata.name), 0);
    expect(left, `what holds ${object.metadata.name}`).toBeGreaterThan(0);
  }
}

it('a namespace goes with the last of what is in it, and nothing is ever in one that is not there', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      let bench = await openPlaneBench({ parts });
      const { store, clock } = bench;
      for (const place of namespaces) {
        await bench.create('namespaces', place);
        for (const key of keys) await bench.create(key, 'x', { metadata: { finalizers } }, place);
      }
      for (const step of taken) {
        if (step.do === 'restart') {
          await bench.upkeep.stop();
          bench.plane.close();
          bench = await openPlaneBench({ parts, store, clock });
        } else if (step.do === 'wait') {
          await settle(bench);
          check(bench);
        } else {
          await take(bench, step).catch((error: unknown) => {
            if (!(error instanceof StatusError) || error.code >= 500) throw error;
          });
        }
      }
      for (const key of keys) {
        for (const { object } of bench.kind(key).peekAll()) {
          const { namespace: place = '', name = '' } = object.metadata;
          await take(bench, { do: 'release', key, name, namespace: place });
        }
      }
      await settle(bench);
      check(bench);
      const terminating = bench
        .kind('namespaces')
        .peekAll()
        .filter(({ object }) => object.metadata.deletionTimestamp);
      expect(terminating).toEqual([]);
      for (const range of [pendingRange, gcRange]) expect((await store.list(range)).entries).toEqual([]);
    }),
    { numRuns: 150 },
  );
});
