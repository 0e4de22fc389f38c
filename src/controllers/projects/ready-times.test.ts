import { afterEach, describe, expect, it } from 'vitest';
import { projectKind } from '../../api/management/v1/project.ts';
import type { FieldsOf } from '../../api/resource.ts';
import { inProcessClient } from '../../builtin/in-process-client.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import { silentLog } from '../../lib/log.ts';
import { openManagementTestEnv, patchOptions } from '../../management/management.fixture.ts';
import { storeOf } from '../../registry/kind-stores.ts';
import { type ReadyTimeRecorder, startReadyTimeRecorder } from './ready-times.ts';

const running: ReadyTimeRecorder[] = [];
afterEach(async () => {
  for (const times of running.splice(0)) await times.stop();
});

type ProjectClient = ResourceClient<FieldsOf<typeof projectKind>>;

async function setUp(whims: (real: ProjectClient) => Partial<ProjectClient> = () => ({})) {
  const management = await openManagementTestEnv();
  const { plane, clock } = management;
  const real = inProcessClient(plane.kinds, 'test').resource(projectKind);
  const client = { ...real, ...whims(real) };
  let writing: Promise<unknown> = Promise.resolve();
  const patchStatus: ProjectClient['patchStatus'] = (...patch) => {
    const written = client.patchStatus(...patch);
    writing = written.catch(() => {});
    return written;
  };
  const times = startReadyTimeRecorder({ projects: { ...client, patchStatus }, clock, log: silentLog });
  running.push(times);
  const projects = storeOf(plane.kinds, projectKind);
  let writes = 0;
  projects.listen(() => void writes++);
  const days = (name: string) => projects.peek('', name)?.object.status?.timeToReady ?? [];
  const count = (name: string) => days(name).reduce((sum, day) => sum + day.count, 0);
  return {
    ...management,
    times,
    days,
    count,
    writes: () => writes,
    /** Resolves when the status of the project matches and its write has completed. */
    async until(name: string, wanted: number, lastDay?: string): Promise<void> {
      await new Promise<void>((resolve) => {
        const stop = projects.listen(() => look());
        const look = () => {
          if (count(name) !== wanted || (lastDay !== undefined && days(name).at(-1)?.day !== lastDay)) return;
          stop();
          resolve();
        };
        look();
      });
      await writing;
      await new Promise(setImmediate);
    },
  };
}

describe('the time to ready of the virtual clusters of a project', () => {
  it('is written soon for the first one, then at most every 30 seconds', async () => {
    const { times, clock, until, count, writes, days } = await setUp();
    const before = writes();
    for (let each = 0; each < 100; each++) times.record('default', 7);
    clock.advance(999);
    expect(count('default')).toBe(0);
    clock.advance(1);
    await until('default', 100);
    expect(writes()).toBe(before + 1);
    for (let second = 0; second < 30; second++) {
      times.record('default', 70);
      clock.advance(second === 29 ? 1_000 : 999);
      if (second < 29) expect(writes()).toBe(before + 1);
    }
    clock.advance(1_000);
    await until('default', 130);
    expect(writes()).toBe(before + 2);
    expect(days('default')).toMatchObject([{ day: '2026-01-01', count: 130 }]);
    clock.advance(600_000);
    expect(writes()).toBe(before + 2);
  });

  it('is written when the server stops', async () => {
    const { times, create, count } = await setUp();
    for (let each = 0; each < 40; each++) {
      await create('projects', `p${each}`, {});
      times.record(`p${each}`, 3);
    }
    await times.stop();
    expect(Array.from({ length: 40 }, (_, each) => count(`p${each}`)).every((each) => each === 1)).toBe(true);
  });

  it('is stored by day, and old days are removed', async () => {
    const { times, clock, until, days } = await setUp();
    for (let day = 1; day <= 16; day++) {
      times.record('default', 5);
      clock.advance(1_000);
      await until('default', Math.min(day, 14), `2026-01-${`${day}`.padStart(2, '0')}`);
      if (day < 16) clock.advance(86_400_000 - 1_000);
    }
    expect(days('default').map(({ day }) => day)).toHaveLength(14);
    expect(days('default')[0]?.day).toBe('2026-01-03');
  });

  it('loses neither durations nor other status fields on concurrent changes of the project', async () => {
    let meddle: () => Promise<unknown> = async () => {};
    const { times, clock, until, verbs, admin, plane } = await setUp((real) => ({
      async get(place, options) {
        const project = await real.get(place, options);
        await meddle();
        return project;
      },
    }));
    let left = 2;
    meddle = async () => {
      if (left-- <= 0) return;
      const document = { spec: { description: `changed ${left}` } };
      await verbs('projects').patch(admin(''), 'default', { type: 'merge', document, findings: [] }, patchOptions);
    };
    times.record('default', 5);
    clock.advance(1_000);
    await until('default', 1);
    expect(storeOf(plane.kinds, projectKind).peek('', 'default')?.object.spec).toMatchObject({
      description: 'changed 0',
    });
  });

  it('is retried after a failed write, and discarded with its project', async () => {
    let fails = true;
    const { times, clock, until } = await setUp((real) => ({
      get: (place, options) => (fails ? Promise.reject(new Error('not now')) : real.get(place, options)),
    }));
    times.record('default', 5);
    times.record('gone', 5);
    clock.advance(1_000);
    await new Promise(setImmediate);
    fails = false;
    times.record('default', 5);
    clock.advance(30_000);
    await until('default', 2);
    await times.stop();
  });
});
