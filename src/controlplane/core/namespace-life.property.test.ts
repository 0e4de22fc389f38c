import fc from 'fast-check';
import { expect, it } from 'vitest';
import { StatusError } from '../../api/status.ts';
import { gcRange, reconcileRange } from '../../registry/rows/rows.ts';
import {
  openPlaneTestEnv,
  type PlaneTestEnv,
  testClientContext,
  testKind,
  testWriteOptions,
} from '../plane.fixture.ts';
import type { PlanePart } from '../plane-part.ts';

const kinds = [testKind('widgets', 'Widget'), testKind('things', 'Thing')];
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

async function take(env: PlaneTestEnv, step: Step): Promise<void> {
  if (step.do === 'make namespace') await env.create('namespaces', step.namespace);
  else if (step.do === 'delete namespace') await env.remove('namespaces', step.namespace);
  else if (step.do === 'make') await env.create(step.key, step.name, {}, step.namespace);
  else if (step.do === 'delete') await env.remove(step.key, step.name, step.namespace);
  else if (step.do === 'hold' || step.do === 'release') {
    const patch = merge({ metadata: { finalizers: step.do === 'hold' ? finalizers : null } });
    await env
      .kind(step.key)
      .verbs.patch(testClientContext(step.namespace), step.name, patch, { ...testWriteOptions, force: false });
  }
}

async function runMaintenance({ clock, maintenance }: PlaneTestEnv): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await maintenance.idle();
    clock.advance(1_000);
  }
  await maintenance.idle();
}

/** The invariants that hold whenever maintenance is idle. */
function check(env: PlaneTestEnv): void {
  for (const key of keys) {
    for (const { object } of env.kind(key).peekAll()) {
      const { namespace: place = '', finalizers: held, deletionTimestamp } = object.metadata;
      const around = env.peek('namespaces', place);
      expect(around, `${place} of ${object.metadata.name}`).toBeDefined();
      if (around?.metadata.deletionTimestamp === undefined) continue;
      expect(deletionTimestamp).toBeDefined();
      expect(held).toEqual(finalizers);
    }
  }
  for (const { object } of env.kind('namespaces').peekAll()) {
    if (object.metadata.deletionTimestamp === undefined) continue;
    const left = keys.reduce((sum, key) => sum + env.kind(key).count(object.metadata.name), 0);
    expect(left, `what holds ${object.metadata.name}`).toBeGreaterThan(0);
  }
}

it('a terminating namespace is removed with its last object, and no object is ever in a missing namespace', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      let env = await openPlaneTestEnv({ parts });
      const { store, clock } = env;
      for (const place of namespaces) {
        await env.create('namespaces', place);
        for (const key of keys) await env.create(key, 'x', { metadata: { finalizers } }, place);
      }
      for (const step of taken) {
        if (step.do === 'restart') {
          await env.maintenance.stop();
          env.plane.close();
          env = await openPlaneTestEnv({ parts, store, clock });
        } else if (step.do === 'wait') {
          await runMaintenance(env);
          check(env);
        } else {
          await take(env, step).catch((error: unknown) => {
            if (!(error instanceof StatusError) || error.code >= 500) throw error;
          });
        }
      }
      for (const key of keys) {
        for (const { object } of env.kind(key).peekAll()) {
          const { namespace: place = '', name = '' } = object.metadata;
          await take(env, { do: 'release', key, name, namespace: place });
        }
      }
      await runMaintenance(env);
      check(env);
      const terminating = env
        .kind('namespaces')
        .peekAll()
        .filter(({ object }) => object.metadata.deletionTimestamp);
      expect(terminating).toEqual([]);
      for (const range of [reconcileRange, gcRange]) expect((await store.list(range)).entries).toEqual([]);
    }),
    { numRuns: 150 },
  );
});
