import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiCaller } from '../bad-days/api-caller.ts';
import { eventually } from '../bad-days/eventually.ts';
import { heapReporting, liveHeap } from '../bad-days/live-heap.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { countProjects, group, instancesOf, isConverged, takeInventory } from './inventory.ts';

/**
 * The number of cycles; `npm run test:long` runs ten. Memory grows in the first cycles, so only a long run finds a
 * leak.
 */
const cycles = Number(process.env.FLOTILLA_TEST_CYCLES ?? 3);
const projects = 50;
const perProject = 20;
const clients = 10;
/**
 * The memory growth in bytes that does not count as a leak. The newest changes of each kind stay in memory, up to twice
 * the limit before they are trimmed, so the used memory varies by this much. A leak of two kilobytes per instance would
 * exceed this growth.
 */
const allowedGrowth = 8 * 1024 * 1024;
/** The number of cycles after which all caches that fill only once are full. */
const settledCycle = 5;
/**
 * A small memory budget for planes, which is full from the first cycle on. Without it, the growth of the planes in
 * memory would look like a leak.
 */
const config = 'planes:\n  memoryBytes: 8388608\n';

let flotilla: FlotillaProcess;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'flotilla-cycles-'));
  writeFileSync(join(folder, 'config.yaml'), config);
  flotilla = await startFlotilla({ nodeArgs: heapReporting, args: ['--config', join(folder, 'config.yaml')] });
});
afterAll(async () => {
  await flotilla.remove();
  rmSync(folder, { recursive: true });
});

const managementApi = () => ApiCaller.of(flotilla);
const insideApi = () => ApiCaller.of(flotilla, '/kubernetes');

const eachOf = <T>(items: readonly T[], act: (api: ApiCaller, item: T) => Promise<void>): Promise<void> =>
  inTurns(items, managementApi, act);

async function inTurns<T>(
  items: readonly T[],
  open: () => Promise<ApiCaller>,
  act: (api: ApiCaller, item: T) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const work = async () => {
    const api = await open();
    for (let item = left.shift(); item !== undefined; item = left.shift()) await act(api, item);
    await api.close();
  };
  await Promise.all(Array.from({ length: clients }, work));
}

it('a thousand instances in fifty projects, created and deleted several times, leave nothing behind', async () => {
  const held: number[] = [];
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    const names = Array.from({ length: projects }, (_, index) => `p${cycle}-${index}`);
    const spec = { allowedClusters: [{ name: '*' }], allowedTemplates: [{ name: '*' }] };
    await eachOf(names, (api, name) => api.make(`${group}/projects`, { metadata: { name }, spec }));
    const places = names.flatMap((project) => Array.from({ length: perProject }, (_, index) => ({ project, index })));
    await eachOf(places, (api, { project, index }) =>
      api.make(instancesOf(project), { metadata: { name: `i${index}` } }),
    );
    const full = await eventually(300, () => takeInventory(flotilla), isConverged);
    expect(full.instances.size).toBe(projects * perProject);
    // Every fifth instance is used, so its control plane is in memory and has contents.
    const used = places.filter(({ index }) => index % 5 === 0);
    await inTurns(used, insideApi, (api, { project, index }) =>
      api.make(`/project/${project}/virtualcluster/i${index}/api/v1/namespaces`, { metadata: { name: 'inside' } }),
    );
    // Deletes half of the instances one by one, and the others with their projects.
    await eachOf(places.slice(0, places.length / 2), async (api, { project, index }) => {
      expect((await api.send('DELETE', `${instancesOf(project)}/i${index}`)).status).toBe(200);
    });
    await eachOf(names, async (api, name) => {
      expect((await api.send('DELETE', `${group}/projects/${name}`)).status).toBe(200);
    });
    await eventually(
      300,
      () => countProjects(flotilla),
      (projectsLeft) => projectsLeft === 1,
    );
    const empty = await takeInventory(flotilla);
    expect(empty).toMatchObject({ instances: new Map(), virtualClusters: [], namespaces: [] });
    held.push(await liveHeap(flotilla));
  }
  console.info(`live heap after each cycle: ${held.join(' ')}`);
  const growth = (held.at(-1) ?? 0) - (held[settledCycle] ?? held.at(-1) ?? 0);
  expect(growth, `live heap after each cycle: ${held.join(' ')}`).toBeLessThan(allowedGrowth);
}, 3_600_000);
