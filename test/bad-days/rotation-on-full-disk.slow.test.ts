import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textAt, valueAt } from '@flotilla/json';
import { afterEach, describe, expect, it } from 'vitest';
import { encryptionPath } from '../../src/api/encryption/encryption-status.ts';
import { managementGroup } from '../../src/api/naming.ts';
import { diskReserveBytes } from '../../src/store/embedded/write-buffer.ts';
import { startFlotilla } from '../harness/flotilla-process.ts';
import { ApiCaller, apiRoot } from './api-caller.ts';
import { Disk, unavailableReason } from './disk.ts';
import { eventually } from './eventually.ts';

const teams = `${apiRoot}/apis/${managementGroup}/v1/teams`;
const mebibyte = 1024 * 1024;
const noMemoryDisk = unavailableReason('a rotation on a full disk', () => Disk.inMemory(1).remove());

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function serve(disk: Disk) {
  const config = join(disk.path, 'config.yaml');
  await writeFile(config, 'encryption: {rows: all}\n');
  const server = await startFlotilla({
    dataDirectory: join(disk.path, 'data'),
    args: ['--log-level', 'warn', '--config', config],
  });
  undo.push(() => server.stop());
  const caller = await ApiCaller.of(server, '');
  undo.push(() => caller.close());
  return { server, caller };
}

async function notes(caller: ApiCaller): Promise<string[]> {
  const { items } = (await caller.get(teams)) as unknown as {
    items: { metadata: { name: string; annotations: Record<string, string> } }[];
  };
  return items.map(({ metadata }) => `${metadata.name} ${metadata.annotations['example.com/noise']}`).sort();
}

describe.skipIf(noMemoryDisk !== undefined)('a rotation of keys on a disk that becomes full', () => {
  it('loses nothing, shows why it waits, and ends when there is space', async () => {
    const disk = Disk.inMemory(128);
    undo.push(() => disk.remove());
    const { server, caller } = await serve(disk);
    for (let index = 0; index < 150; index++) {
      const annotations = { 'example.com/noise': randomBytes(60_000).toString('base64') };
      await caller.make(teams, { metadata: { name: `team-${index}`, annotations } });
    }
    const before = await notes(caller);
    expect(before).toHaveLength(150);

    // The 4 MiB above the reserve suffice for the new keys, but not for the rows that are written again.
    const ballast = join(disk.path, 'ballast');
    await writeFile(ballast, Buffer.alloc(disk.free() - diskReserveBytes(disk.size()) - 4 * mebibyte));
    // A merge of tables can use the space for a moment.
    await eventually(
      60,
      () => caller.send('POST', encryptionPath),
      ({ status, text }) => {
        if (status !== 201) expect(status, text).toBe(507);
        return status === 201;
      },
    );
    const waiting = await eventually(
      60,
      () => caller.get(encryptionPath),
      (found) => textAt(found, 'rewrite', 'problem') !== '',
    );
    expect(textAt(waiting, 'rewrite', 'problem')).toMatch(/^the disk of the data directory is full/);
    expect(await notes(caller)).toEqual(before);

    await rm(ballast);
    const done = await eventually(
      60,
      () => caller.get(encryptionPath),
      (found) => valueAt(found, 'rewrite') === undefined,
    );
    expect(textAt(done, 'rewrittenAt')).not.toBe('');
    expect(await notes(caller)).toEqual(before);
    expect(await server.stop()).toBe(0);
    const again = await serve(disk);
    expect(await notes(again.caller)).toEqual(before);
  });
});
