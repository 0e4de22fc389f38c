import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { managementGroup } from '../../src/api/naming.ts';
import { Canaries } from '../harness/canaries.ts';
import { dataFiles } from '../harness/data-files.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { ApiCaller } from './api-caller.ts';

const keys = `/apis/${managementGroup}/v1/ownedaccesskeys`;
const users = `/apis/${managementGroup}/v1/users`;
const rounds = 5;

let flotilla: FlotillaProcess;
let canaries: Canaries;
let folder: string;
beforeEach(async () => {
  canaries = new Canaries();
  folder = mkdtempSync(join(tmpdir(), 'flotilla-canary-'));
  writeFileSync(join(folder, 'config.yaml'), 'accessKeys:\n  perUser: 100000\n');
  flotilla = await startFlotilla({ args: ['--log-level', 'debug', '--config', join(folder, 'config.yaml')] });
});
afterEach(async () => {
  await flotilla.remove();
  rmSync(folder, { recursive: true });
});

/** Writes secrets until the server is gone; calls `answered` after each response. */
async function writeUntilGone(api: ApiCaller, worker: string, answered: () => void): Promise<void> {
  for (let count = 0; ; count++) {
    const name = `${worker}-${count}`;
    const isKey = count % 4 !== 3;
    const spec = isKey ? { key: canaries.make('a key') } : { password: canaries.make('a password') };
    try {
      await api.make(isKey ? keys : users, { metadata: { name }, spec });
      if (isKey) await api.send('PATCH', `${keys}/${name}`, { spec: { key: canaries.make('another value') } });
    } catch (error) {
      // An error response fails the test. The expected end is a server that no longer answers.
      if (error instanceof Error && /: [1-5]\d\d /.test(error.message)) throw error;
      return;
    }
    answered();
  }
}

it('a server that is killed while it writes secrets leaves none in plain text', async () => {
  for (let round = 0; round < rounds; round++) {
    const api = await Promise.all(Array.from({ length: 8 }, () => ApiCaller.of(flotilla)));
    let count = 0;
    const killAt = 20 + round * 7;
    let killed: Promise<unknown> | undefined;
    const answered = () => {
      count++;
      if (count >= killAt) killed ??= flotilla.stop('SIGKILL');
    };
    await Promise.all(api.map((each, worker) => writeUntilGone(each, `r${round}w${worker}`, answered)));
    await killed;
    await Promise.all(api.map((each) => each.close()));
    expect(count).toBeGreaterThanOrEqual(killAt);
    expect(canaries.foundIn(await dataFiles(flotilla.dataDirectory)), `round ${round}`).toEqual([]);
    expect(canaries.foundIn(flotilla.output())).toEqual([]);
    flotilla = await flotilla.restart();
  }
  expect(canaries.foundIn(await dataFiles(flotilla.dataDirectory))).toEqual([]);
});
