import { describe, expect, it } from 'vitest';
import { forbidden } from '../api/status.ts';
import { ManualClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { mountStored } from '../registry/stored-verbs.ts';
import { refusal } from '../registry/widgets.fixture.ts';
import { openMemoryStore } from '../store/memory.ts';
import { namespacesPart } from './core/namespaces-part.ts';
import { openKubernetesPlane } from './kubernetes-plane.ts';
import { addedKind, client, openPlaneBench, plainKind, writing } from './plane.fixture.ts';
import type { PlanePart } from './plane-part.ts';

const key = 'widgets.test.example';

/** A part that notes what happens to it. */
function noting(name: string, notes: string[], change: Partial<PlanePart> = {}): PlanePart {
  return {
    resources: [],
    mount: () => [],
    admit: ({ operation, resource }) => void notes.push(`${name} admits ${operation} ${resource.plural}`),
    async start() {
      notes.push(`${name} starts`);
      return () => void notes.push(`${name} ends`);
    },
    ...change,
  };
}

const widgets = plainKind('widgets', 'Widget');
const widgetsPart: PlanePart = {
  resources: [widgets],
  mount(stores) {
    const store = stores.get(key);
    return store === undefined ? [] : [mountStored(store)];
  },
};

describe('a plane made of parts', () => {
  it('starts them in order, asks them in order, and ends them the other way round', async () => {
    const notes: string[] = [];
    const { plane, create } = await openPlaneBench({
      parts: [widgetsPart, noting('first', notes), noting('second', notes)],
    });
    await create(key, 'one');
    plane.close();
    expect(notes).toEqual([
      'first starts',
      'second starts',
      'first admits CREATE widgets',
      'second admits CREATE widgets',
      'second ends',
      'first ends',
    ]);
  });

  it('refuses what the first of them refuses, in kinds that were added later too', async () => {
    const notes: string[] = [];
    const refusing = noting('first', notes, {
      admit({ resource, draft }) {
        const { name = '' } = draft.object.metadata;
        if (name === 'bad') throw forbidden({ group: resource.group, resource: resource.plural }, name, 'not that');
      },
    });
    const { plane, create } = await openPlaneBench({ parts: [refusing, noting('second', notes)] });
    await plane.add([addedKind(widgets)]);
    const refused = await refusal(create(key, 'bad'));
    expect(refused.message).toBe('widgets.test.example "bad" is forbidden: not that');
    expect(notes).not.toContain('second admits CREATE widgets');
    await create(key, 'good');
    expect(notes).toContain('second admits CREATE widgets');
  });

  it('lets a part reach the whole plane when it starts, and add kinds before anybody is served', async () => {
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
              await dependencies.plane().add([addedKind(widgets)]);
              return () => {};
            },
          },
        ],
        authorize: () => ({ allowed: true, reason: '' }),
      }),
      onUpkeep() {},
    });
    const object = { apiVersion: 'test.example/v1', kind: 'Widget', metadata: { name: 'a' } };
    await plane.kinds.get(key)?.verbs.create(client('default'), object, writing);
    expect(plane.find('test.example', 'v1', 'widgets')).toBeDefined();
    expect(plane.kinds.get(key)?.count()).toBe(1);
    plane.close();
  });

  it('is closed again where a part cannot start, and opens the next time', async () => {
    const notes: string[] = [];
    const clock = new ManualClock();
    const store = openMemoryStore({ clock });
    const failing = noting('second', notes, { start: () => Promise.reject(new Error('not now')) });
    await expect(openPlaneBench({ store, clock, parts: [noting('first', notes), failing] })).rejects.toThrow('not now');
    expect(notes).toEqual(['first starts', 'first ends']);
    const { kind } = await openPlaneBench({ store, clock });
    expect(kind('namespaces').count()).toBe(3);
  });
});
