import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEvent } from '../../src/api/audit/audit-event.ts';
import { auditorsGroup } from '../../src/api/naming.ts';
import { auditEvent } from '../../src/audit/audit-event.fixture.ts';
import { callValues, type OptionValue } from '../../src/cli/command-call.ts';
import { run } from '../../src/cli/commands/audit/audit-export.ts';
import { openTerminal } from '../../src/cli/output/terminal.ts';
import { memberKey } from '../../src/replicas/replica-rows.ts';
import { ReplicasTestEnv } from '../../src/server/replicas.fixture.ts';
import { ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';

/** Runs the command against a server. Returns what it has printed. */
async function runExport(bench: ServerTestEnv, server: RunningServer, options: Record<string, OptionValue>) {
  const out: string[] = [];
  const environment = {
    FLOTILLA_URL: server.url,
    FLOTILLA_CA_FILE: bench.file('ca.crt'),
    FLOTILLA_ACCESS_KEY: await bench.adminKey(),
    FLOTILLA_CONFIG: join(bench.root, 'logins.json'),
  };
  const streams = { out: { write: (text: string) => out.push(text) }, err: { write: () => {} }, in: {} };
  await run({
    values: callValues(new Map(), new Map(Object.entries(options))),
    terminal: openTerminal(streams, environment),
    environment,
    interrupted: new AbortController().signal,
    releaseSignals() {},
  });
  return out.join('');
}

describe('an export of the audit log', () => {
  const entries = 2_500;
  let bench: ServerTestEnv;
  let server: RunningServer;

  beforeAll(async () => {
    bench = await ServerTestEnv.open();
    server = await bench.start();
    // The number of events exceeds one page of a search.
    const events = Array.from({ length: entries }, (_, index) =>
      auditEvent({ verb: 'create', objectRef: { resource: 'widgets', name: `w-${index}` } }),
    );
    await appendFile(bench.file('audit.log'), events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    await bench.createObject(server, 'users', 'anna');
  });
  afterAll(() => bench.close());

  const linesOf = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditEvent);

  it('contains each matching entry once, newest first', async () => {
    const events = linesOf(await runExport(bench, server, { resource: 'widgets', verb: 'create' }));
    const names = events.map(({ objectRef }) => objectRef?.name);
    expect(names).toEqual(Array.from({ length: entries }, (_, index) => `w-${entries - 1 - index}`));
    const [made] = linesOf(await runExport(bench, server, { resource: 'users', verb: 'create', from: '1h' }));
    expect(made).toMatchObject({ objectRef: { name: 'anna' }, chain: { hash: expect.any(String) } });
    expect(await runExport(bench, server, { resource: 'users', to: '1h' })).toBe('');
  });

  it('is CSV on request, and no entry becomes a formula', async () => {
    const objectRef = { resource: 'projects', name: 'none' };
    const event = auditEvent({ objectRef, userAgent: '=HYPERLINK("x")' });
    await appendFile(bench.file('audit.log'), `${JSON.stringify(event)}\n`);
    const text = await runExport(bench, server, { resource: 'projects', name: 'none', format: 'csv' });
    const [head, line, ...more] = text.trimEnd().split('\r\n');
    expect(more).toEqual([]);
    expect(head).toMatch(/^time,received,user,.*,auditID,agentCluster,seq,hash$/);
    expect(line).toContain(`,"'=HYPERLINK(""x"")",`);
  });

  it('is for admins and auditors, and refuses invalid parameters', async () => {
    await bench.createObject(server, 'users', 'auditor', { groups: [auditorsGroup] });
    const auditor = await bench.createKey(server, 'of-auditor', { user: 'auditor' });
    const other = await bench.createKey(server, 'of-other', { user: 'anna' });
    const path = '/audit/export?name=none';
    expect((await bench.send(server, path, { token: auditor })).code).toBe(200);
    expect((await bench.send(server, path, { token: other })).code).toBe(403);
    const { json } = await bench.send(server, '/audit/export?format=xml&limit=3&usr=x');
    expect(json).toMatchObject({
      code: 400,
      message:
        'the query is invalid: format must be one of jsonl, csv; limit is not a parameter of an export, which returns all lines; "usr" is not a known parameter',
    });
    await expect(runExport(bench, server, { format: 'xml' })).rejects.toThrow('--format must be jsonl or csv');
  });

  it('does not fail the server if the client disconnects early', async () => {
    const response = await bench.request(server, '/audit/export');
    response.body.destroy();
    await response.body.text().catch(() => {});
    expect((await bench.send(server, '/readyz')).code).toBe(200);
  });
});

it('an export fails if the log of a replica cannot be read, unless that is allowed', async () => {
  const env = await ReplicasTestEnv.open();
  try {
    const { first, second, shared } = env;
    await first.bench.createObject(first.server, 'users', 'anna');
    await second.bench.createObject(second.server, 'users', 'ben');
    const query = { resource: 'users', verb: 'create' };
    const both = await runExport(first.bench, first.server, query);
    expect(both.match(/"name":"(anna|ben)"/g)?.sort()).toEqual(['"name":"anna"', '"name":"ben"']);
    const row = {
      registration: 'r',
      version: '1',
      schemas: [1, 1],
      address: '',
      settings: '',
      peerAddress: '127.0.0.1:1',
    };
    await shared.transact({ writes: [{ key: memberKey('lost'), value: JSON.stringify(row) }] });
    await expect(runExport(first.bench, first.server, query)).rejects.toThrow(
      /the export would not be complete: replica lost: it cannot be reached .* set allowIncomplete=true/,
    );
    const rest = await runExport(first.bench, first.server, { ...query, 'allow-incomplete': true });
    expect(rest.match(/"name":"(anna|ben)"/g)).toHaveLength(2);
  } finally {
    await env.close();
  }
});
