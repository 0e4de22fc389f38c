import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callValues } from '../../src/cli/command-call.ts';
import { run } from '../../src/cli/commands/operate/status.ts';
import { openTerminal } from '../../src/cli/output/terminal.ts';
import { memberKey, readReplicaRows } from '../../src/replicas/replica-rows.ts';
import { reachableAddress } from '../../src/server/peers/reachable-address.ts';
import { ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';
import { openMemoryStore } from '../../src/store/memory.ts';
import { gatedStore } from '../../src/store/replicas.fixture.ts';

describe('flotilla status', () => {
  const shared = openMemoryStore();
  let bench: ServerTestEnv;
  let server: RunningServer;

  beforeAll(async () => {
    bench = await ServerTestEnv.open();
    bench.store = gatedStore(shared).store;
    server = await bench.start({ listen: '0.0.0.0:0' });
  });
  afterAll(() => bench.close());

  /** Runs the command. Returns the lines that it has printed. */
  async function status(): Promise<string[]> {
    const out: string[] = [];
    const environment = {
      FLOTILLA_URL: server.url,
      FLOTILLA_CA_FILE: bench.file('ca.crt'),
      FLOTILLA_ACCESS_KEY: await bench.adminKey(),
      FLOTILLA_CONFIG: join(bench.root, 'logins.json'),
    };
    const streams = { out: { write: (text: string) => out.push(text) }, err: { write() {} }, in: {} };
    await run({
      values: callValues(new Map(), new Map()),
      terminal: openTerminal(streams, environment),
      environment,
      interrupted: new AbortController().signal,
      releaseSignals() {},
    });
    return out.join('').trimEnd().split('\n');
  }

  /** The last lines of the output if no virtual cluster has ended a worker. */
  const quiet = ['no virtual cluster is in quarantine', 'no worker thread was replaced in the last hour'];

  it('shows an address that other machines can use if the server listens on all addresses', async () => {
    const lines = [expect.stringMatching(/SETTINGS/), expect.any(String), ...quiet];
    await expect.poll(status, { timeout: 10_000 }).toEqual(lines);
    const [, line = ''] = await status();
    const { port } = new URL(server.url);
    expect(line).toContain(` https://${reachableAddress('0.0.0.0', Number(port))} `);
    expect(line).not.toContain('0.0.0.0');
  });

  it('shows the schemas of each server, and names servers that must be upgraded', async () => {
    await expect.poll(async () => (await readReplicaRows(shared)).members.size, { timeout: 10_000 }).toBe(1);
    const member = {
      ...{ registration: 'other', version: '0.0.9', address: 'https://old', settings: '' },
      schemas: [0, 0],
    };
    await shared.transact({ writes: [{ key: memberKey('old'), value: JSON.stringify(member) }] });
    const lines = await status();
    expect(lines[0]).toMatch(/SETTINGS +SCHEMAS$/);
    expect(lines.find((line) => line.startsWith('old '))).toMatch(/ different +0$/);
    expect(lines).toContain(
      'old does not support schema 2, so the store stays at schema 2; upgrade or stop this server',
    );
  });
});
