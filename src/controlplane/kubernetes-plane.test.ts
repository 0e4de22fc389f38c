import { describe, expect, it } from 'vitest';
import { forbidden } from '../api/status.ts';
import { ManualClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { mountStoredKind } from '../registry/verbs/stored-verbs.ts';
import { rejectionStatus } from '../registry/widgets.fixture.ts';
import { openMemoryStore } from '../store/memory.ts';
import { namespacesPart } from './core/namespaces/namespaces-part.ts';
import { openKubernetesPlane } from './kubernetes-plane.ts';
import { addableTestKind, openPlaneTestEnv, testClientContext, testKind, testWriteOptions } from './plane.fixture.ts';
import type { PlanePart } from './plane-part.ts';

const key = 'widgets.test.example';

/** Returns a part that logs its calls. */
function loggingPart(name: string, calls: string[], change: Partial<PlanePart> = {}): PlanePart {
  return {
    resources: [],
    mount: () => [],
    admit: ({ operation, resource }) => void calls.push(`${name} admits ${operation} ${resource.plural}`),
    async start() {
      calls.push(`${name} starts`);
      return () => void calls.push(`${name} ends`);
    },
    ...change,
  };
}

const widgets = testKind('widgets', 'Widget');
const widgetsPart: PlanePart = {
  resources: [widgets],
  mount(stores) {
    const store = stores.get(key);
    return store === undefined ? [] : [mountStoredKind(store)];
  },
};

describe('a plane composed of parts', () => {
  it('starts its parts in order, admits writes in order, and stops the parts in reverse order', async () => {
    const calls: string[] = [];
    const { plane, create } = await openPlaneTestEnv({
      parts: [widgetsPart, loggingPart('first', calls), loggingPart('second', calls)],
    });
    await create(key, 'one');
    plane.close();
    expect(calls).toEqual([
      'first starts',
      'second starts',
      'first admits CREATE widgets',
      'second admits CREATE widgets',
      'second ends',
      'first ends',
    ]);
  });

  it('refuses a write that its first part refuses, also for kinds that were added later', async () => {
    const calls: string[] = [];
    const refusing = loggingPart('first', calls, {
      admit({ resource, draft }) {
        const { name = '' } = draft.object.metadata;
        if (name === 'bad') throw forbidden({ group: resource.group, resource: resource.plural }, name, 'not that');
      },
    });
    const { plane, create } = await openPlaneTestEnv({ parts: [refusing, loggingPart('second', calls)] });
    await plane.add([addableTestKind(widgets)]);
    const refused = await rejectionStatus(create(key, 'bad'));
    expect(refused.message).toBe('widgets.test.example "bad" is forbidden: not that');
    expect(calls).not.toContain('second admits CREATE widgets');
    await create(key, 'good');
    expect(calls).toContain('second admits CREATE widgets');
  });

  it('lets a part use the whole plane when it starts, and add kinds before the plane serves', async () => {
    const clock = new ManualClock();
    const plane = await openKubernetesPlane({
      id: 'test',
      store: openMemoryStore({ clock }),
      clock,
      log: silentLog,
      compose: (dependencies) => ({
        parts: [
          namespacesPart(dependencies),
          {
            resources: [],
            mount: () => [],
            async start() {
              await dependencies.plane().add([addableTestKind(widgets)]);
              return () => {};
            },
          },
        ],
        authorize: () => ({ allowed: true, reason: '' }),
      }),
      onMaintenanceWork() {},
    });
    const object = { apiVersion: 'test.example/v1', kind: 'Widget', metadata: { name: 'a' } };
    await plane.kinds.get(key)?.verbs.create(testClientContext('default'), object, testWriteOptions);
    expect(plane.find('test.example', 'v1', 'widgets')).toBeDefined();
    expect(plane.kinds.get(key)?.count()).toBe(1);
    plane.close();
  });

  it('closes if a part fails to start, and can be opened again', async () => {
    const calls: string[] = [];
    const clock = new ManualClock();
    const store = openMemoryStore({ clock });
    const failing = loggingPart('second', calls, { start: () => Promise.reject(new Error('not now')) });
    await expect(openPlaneTestEnv({ store, clock, parts: [loggingPart('first', calls), failing] })).rejects.toThrow(
      'not now',
    );
    expect(calls).toEqual(['first starts', 'first ends']);
    const { kind } = await openPlaneTestEnv({ store, clock });
    expect(kind('namespaces').count()).toBe(3);
  });
});
