import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEventList } from '../../src/api/audit/audit-event.ts';
import { callValues, type OptionValue } from '../../src/cli/command-call.ts';
import { run } from '../../src/cli/commands/audit/audit.ts';
import { openTerminal } from '../../src/cli/output/terminal.ts';
import { memberKey } from '../../src/replicas/replica-rows.ts';
import { ReplicasTestEnv } from '../../src/server/replicas.fixture.ts';
import { groupPath, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';

/** Runs the command against a server. Returns what it has printed. */
async function runAudit(
  bench: ServerTestEnv,
  server: RunningServer,
  options: Record<string, OptionValue>,
): Promise<{ out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const environment = {
    FLOTILLA_URL: server.url,
    FLOTILLA_CA_FILE: bench.file('ca.crt'),
    FLOTILLA_ACCESS_KEY: await bench.adminKey(),
    FLOTILLA_CONFIG: join(bench.root, 'logins.json'),
  };
  await run({
    values: callValues(new Map(), new Map(Object.entries(options))),
    terminal: openTerminal(
      { out: { write: (text) => out.push(text) }, err: { write: (text) => err.push(text) }, in: {} },
      environment,
    ),
    environment,
    interrupted: new AbortController().signal,
    releaseSignals() {},
  });
  return { out: out.join(''), err: err.join('') };
}

describe('flotilla audit', () => {
  let bench: ServerTestEnv;
  let server: RunningServer;

  beforeAll(async () => {
    bench = await ServerTestEnv.open();
    server = await bench.start();
    await bench.createObject(server, 'users', 'anna');
    const anna = await bench.createKey(server, 'of-anna', { user: 'anna' });
    for (const name of ['red', 'blue', 'green']) await bench.createObject(server, 'projects', name);
    await bench.send(server, `${groupPath}/projects/red`, { token: anna });
  });
  afterAll(() => bench.close());

  const audit = (options: Record<string, OptionValue>) => runAudit(bench, server, options);

  it('shows each request once, newest first, with the reason of a refusal', async () => {
    const { out } = await audit({ denied: true, since: '1h' });
    const [head = '', line = '', ...more] = out.trimEnd().split('\n');
    expect(more).toEqual([]);
    expect(head).toMatch(/^TIME +USER +ACCESS KEY +VERB +RESOURCE +CODE +REASON$/);
    expect(line).toMatch(/Z +anna +of-anna +get +projects red +403 +no role, ownership or access entry/);
    const made = await audit({ resource: 'projects', verb: 'create', output: 'wide' });
    expect(made.out.match(/^2/gm)).toHaveLength(3);
    expect(made.out).toMatch(/SOURCE IP +USER AGENT +AUDIT ID/);
  });

  it('returns at most the requested number of lines, as they are in the log', async () => {
    const { out } = await audit({ resource: 'projects', verb: 'create', limit: '2', output: 'json' });
    const list = JSON.parse(out) as AuditEventList;
    expect(list.kind).toBe('AuditEventList');
    expect(list.items).toHaveLength(2);
    expect(list.items.every(({ stage }) => stage === 'ResponseComplete')).toBe(true);
    const both = JSON.parse((await audit({ resource: 'projects', 'all-stages': true, output: 'json' })).out);
    expect(new Set((both as AuditEventList).items.map(({ stage }) => stage)).size).toBe(2);
  });

  it('reports an empty result, and invalid arguments', async () => {
    expect(await audit({ user: 'nobody' })).toEqual({ out: '', err: 'no audit entries found\n' });
    await expect(audit({ code: 'bad' })).rejects.toThrow('code must be a status code');
    await expect(audit({ limit: 'all' })).rejects.toThrow('--limit');
    await expect(audit({ since: 'yesterday' })).rejects.toThrow('--since');
  });
});

it('flotilla audit warns once about each replica whose log is missing', async () => {
  const env = await ReplicasTestEnv.open();
  try {
    const { first, shared } = env;
    for (const name of ['anna', 'ben']) await first.bench.createObject(first.server, 'users', name);
    const row = {
      registration: 'r',
      version: '1',
      schemas: [1, 1],
      address: '',
      settings: '',
      peerAddress: '127.0.0.1:1',
    };
    await shared.transact({ writes: [{ key: memberKey('lost'), value: JSON.stringify(row) }] });
    const query = { resource: 'users', verb: 'create' };
    const table = await runAudit(first.bench, first.server, query);
    expect(table.out.match(/users (anna|ben)/g)).toEqual(['users ben', 'users anna']);
    expect(table.err.match(/^Warning: entries of replica lost may be missing: .+$/gm)).toHaveLength(1);
    const { out } = await runAudit(first.bench, first.server, { ...query, output: 'json' });
    const { metadata } = JSON.parse(out) as AuditEventList;
    expect(metadata.incomplete?.filter(({ replica }) => replica === 'lost')).toHaveLength(1);
  } finally {
    await env.close();
  }
});
