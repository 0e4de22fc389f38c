import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { managementGroup } from '../../src/api/naming.ts';
import { startFlotilla } from '../harness/flotilla-process.ts';
import { ApiCaller } from './api-caller.ts';
import { Disk, unavailableReason } from './disk.ts';
import { eventually } from './eventually.ts';

const teams = `/apis/${managementGroup}/v1/teams`;
const noDisk = unavailableReason('a disk that the server fills itself', () => Disk.inMemory(1).remove());

/** `npm run test:long` sets a larger disk, which takes minutes to fill. */
const megabytes = Number(process.env.FLOTILLA_TEST_DISK_MEGABYTES ?? 300);

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function serve(dataDirectory: string) {
  const server = await startFlotilla({ dataDirectory, args: ['--log-level', 'warn'] });
  undo.push(() => server.stop());
  const caller = await ApiCaller.of(server);
  undo.push(() => caller.close());
  return { server, caller };
}

function create(caller: ApiCaller, name: string) {
  const annotations = { 'example.com/noise': randomBytes(120_000).toString('hex') };
  return caller.send('POST', teams, { metadata: { name, annotations } });
}

/** Writes from four clients until writes are refused. Returns the names of all created teams, and a refusal. */
async function fill(caller: ApiCaller, prefix: string): Promise<{ made: string[]; message: string }> {
  const made: string[] = [];
  let message = '';
  let count = 0;
  const write = async () => {
    for (let refusals = 0; refusals < 3; ) {
      const name = `${prefix}-${count++}`;
      const { status, text } = await create(caller, name);
      if (status === 201) made.push(name);
      else {
        expect(status, text).toBe(507);
        message = (JSON.parse(text) as { message: string }).message;
        refusals++;
      }
    }
  };
  await Promise.all([write(), write(), write(), write()]);
  return { made, message };
}

interface Page {
  readonly rows: readonly { readonly cells: readonly unknown[] }[];
  readonly metadata: { readonly continue?: string };
}

/** Returns the names of all teams. A table has no annotations, so it is small. */
async function names(caller: ApiCaller): Promise<Set<string>> {
  const found = new Set<string>();
  for (let next: string | undefined = ''; next !== undefined; ) {
    const path = `${teams}?limit=500&includeObject=None&continue=${next}`;
    const page = (await caller.get(path, 'application/json;as=Table;g=meta.k8s.io;v=v1')) as unknown as Page;
    for (const { cells } of page.rows) found.add(String(cells[0]));
    next = page.metadata.continue;
  }
  return found;
}

/** Deletes teams with four clients. */
async function deleteAll(caller: ApiCaller, left: string[]): Promise<void> {
  const remove = async () => {
    for (let name = left.pop(); name !== undefined; name = left.pop()) {
      const { status, text } = await caller.send('DELETE', `${teams}/${name}`);
      expect(status, text).toBe(200);
    }
  };
  await Promise.all([remove(), remove(), remove(), remove()]);
}

describe.skipIf(noDisk !== undefined)('a server that has filled its disk with writes', () => {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    it(`starts again on ${megabytes} MB after ${signal}, deletes objects, and then accepts writes`, async () => {
      const disk = Disk.inMemory(megabytes);
      undo.push(() => disk.remove());
      const directory = join(disk.path, 'data');
      let { server, caller } = await serve(directory);
      const { made, message } = await fill(caller, 'first');
      expect(message).toMatch(/bytes are reserved; delete objects that are not needed/);

      for (let round = 0; round < 2; round++) {
        await server.stop(signal);
        ({ server, caller } = await serve(directory));
        expect(await names(caller)).toEqual(new Set(made));
        const { made: more } = await fill(caller, `round-${round}`);
        made.push(...more);
      }

      await deleteAll(caller, made.splice(0, made.length / 2));
      expect(await names(caller)).toEqual(new Set(made));
      await eventually(
        60,
        async () => disk.free(),
        (free) => free > (megabytes / 3) * 1024 * 1024,
      );
      expect((await create(caller, 'afterwards')).status).toBe(201);
      expect((await caller.send('GET', '/readyz')).status).toBe(200);
      expect(server.output()).not.toMatch(/unhandled|uncaught|TypeError/i);
    });
  }
});
