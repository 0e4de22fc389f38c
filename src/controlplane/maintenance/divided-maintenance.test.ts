import { afterEach, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { deadlineKey, gcKey, maintenanceSlice, reconcileKey } from '../../registry/rows/rows.ts';
import { openMemoryStore } from '../../store/memory.ts';
import type { RevisionCheck, Store } from '../../store/store.ts';
import { type Maintenance, startMaintenance } from './maintenance.ts';
import type { TaskRunner } from './maintenance-task.ts';

const running: Maintenance[] = [];
afterEach(async () => {
  for (const maintenance of running.splice(0)) await maintenance.stop();
});

const object = { resource: 'configmaps', namespace: 'default', name: 'one' };
const fenceKey = { slice: 'replicas', segments: ['members', 'a'] };

/** Writes one row of each type for the plane. */
async function addWork(store: Store, plane: string): Promise<void> {
  const garbage = { ...object, uid: 'u', what: 'check' };
  await store.transact({
    writes: [
      { key: deadlineKey(0, plane, object), value: '', unlogged: true },
      { key: gcKey(plane, 'u'), value: JSON.stringify(garbage), unlogged: true },
      { key: reconcileKey(plane, object), value: '', unlogged: true },
    ],
  });
}

async function planesWithRows(store: Store): Promise<string[]> {
  const { entries } = await store.list({ slice: maintenanceSlice, prefix: [] });
  return entries.map(({ key: { segments } }) => (segments[0] === 'due' ? segments[2] : segments[1]) ?? '');
}

function start(store: Store, runTask: TaskRunner, share: { fence?: RevisionCheck; owns?(plane: string): boolean }) {
  const maintenance = startMaintenance({ store, clock: new ManualClock(), log: silentLog, runTask, ...share });
  running.push(maintenance);
  maintenance.wake();
  return maintenance;
}

it('each process runs only the tasks of its planes, and the others remain', async () => {
  const store = openMemoryStore();
  for (const plane of ['a', 'b']) await addWork(store, plane);
  const tasks: string[] = [];
  const runTask: TaskRunner = async (plane, { type }) => void tasks.push(`${plane} ${type}`);
  await start(store, runTask, { owns: (plane) => plane === 'b' }).idle();
  expect(tasks.sort()).toEqual(['b deadline', 'b garbage', 'b reconcile']);
  expect(await planesWithRows(store)).toEqual(['a', 'a', 'a']);
});

it('a process that was replaced does not delete rows', async () => {
  const store = openMemoryStore();
  const [revision] = await store.transact({ writes: [{ key: fenceKey, value: '' }] });
  await addWork(store, 'a');
  const fences = new Set<RevisionCheck | undefined>();
  const fence: RevisionCheck = { key: fenceKey, revision };
  const replace = () => store.transact({ writes: [{ key: fenceKey, value: 'another' }] });
  const maintenance: Maintenance = await new Promise((resolve) => {
    const types = new Set<string>();
    const runTask: TaskRunner = async (_plane, { type }, given) => {
      fences.add(given);
      types.add(type);
      await replace();
      if (types.size === 3) resolve(started);
      return undefined;
    };
    const started = start(store, runTask, { fence });
  });
  await maintenance.stop();
  expect([...fences]).toEqual([fence]);
  expect(await planesWithRows(store)).toEqual(['a', 'a', 'a']);
});

it('maintenance reports the planes in which tasks are running', async () => {
  const store = openMemoryStore();
  await store.transact({ writes: [{ key: reconcileKey('a', object), value: '', unlogged: true }] });
  let finish = () => {};
  const started = new Promise<void>((resolve) => {
    const maintenance = start(
      store,
      () => {
        resolve();
        return new Promise((done) => {
          finish = () => done(undefined);
        });
      },
      {},
    );
    running[0] = maintenance;
  });
  await started;
  expect(running[0]?.isBusyWith((plane) => plane === 'a')).toBe(true);
  expect(running[0]?.isBusyWith((plane) => plane === 'b')).toBe(false);
  finish();
  await running[0]?.idle();
  expect(running[0]?.isBusyWith(() => true)).toBe(false);
});
