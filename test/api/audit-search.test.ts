import { appendFile, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEvent, AuditEventList } from '../../src/api/audit/audit-event.ts';
import { type AuditQuery, writeAuditQuery } from '../../src/api/audit/audit-query.ts';
import { auditorsGroup } from '../../src/api/naming.ts';
import { groupPath, mergePatch, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';
import { itExceptOnEtcd } from '../harness/etcd/it-except-on-etcd.ts';

describe('GET /audit', () => {
  let bench: ServerTestEnv;
  let server: RunningServer;
  let anna: string;

  beforeAll(async () => {
    bench = await ServerTestEnv.open();
    server = await bench.start();
    await bench.createObject(server, 'users', 'anna');
    await bench.createObject(server, 'projects', 'red');
    await bench.createObject(server, 'projects', 'blue');
    anna = await bench.createKey(server, 'of-anna', { user: 'anna' });
    await bench.send(server, `${groupPath}/projects/red`, { token: anna });
  });
  afterAll(() => bench.close());

  async function search(query: AuditQuery): Promise<AuditEventList> {
    const { code, text } = await bench.send(server, `/audit?${writeAuditQuery(query)}`);
    expect(code, text).toBe(200);
    return JSON.parse(text) as AuditEventList;
  }

  it('returns lines to admins as they are in the log, newest first', async () => {
    const list = await search({ resource: 'projects', verb: 'create', stage: 'ResponseComplete' });
    expect(list).toMatchObject({ kind: 'AuditEventList', apiVersion: 'management.platform.sh/v1' });
    expect(list.metadata.continue).toBeUndefined();
    expect(Date.parse(list.metadata.reached ?? '')).not.toBeNaN();
    expect(list.items).toHaveLength(2);
    const lines = (await readFile(bench.file('audit.log'), 'utf8')).trimEnd().split('\n');
    const wanted = lines.filter((line) => /"verb":"create".*"resource":"projects".*"ResponseComplete"/.test(line));
    expect(list.items).toEqual(wanted.map((line) => JSON.parse(line) as AuditEvent).reverse());
  });

  it('finds refused requests, and pages through all lines without losing or repeating one', async () => {
    const { items } = await search({ user: 'anna', decision: 'denied', code: '4xx' });
    expect(items).toMatchObject([{ accessKey: 'of-anna', responseStatus: { code: 403 }, objectRef: { name: 'red' } }]);
    const all = await search({ until: items[0]?.stageTimestamp ?? '' });
    const paged: AuditEvent[] = [];
    let next: string | undefined;
    do {
      const page = await search({
        limit: 3,
        until: items[0]?.stageTimestamp ?? '',
        ...(next === undefined ? {} : { continue: next }),
      });
      paged.push(...page.items);
      next = page.metadata.continue;
    } while (next !== undefined);
    // Excludes searches, which are audited too, some of them in the same second.
    const others = (events: readonly AuditEvent[]) =>
      events.filter(({ requestURI }) => !requestURI.startsWith('/audit'));
    expect(others(paged)).toEqual(others(all.items));
  });

  it('marks dry runs, also those of a delete with a body, and returns them only on request', async () => {
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] };
    await bench.send(server, `${groupPath}/projects/blue`, { method: 'DELETE', body });
    await bench.send(server, `${groupPath}/projects?dryRun=All`, { method: 'POST', body: { metadata: { name: '-' } } });
    const query: AuditQuery = { resource: 'projects', stage: 'ResponseComplete', user: 'admin' };
    const { items } = await search({ ...query, dryRuns: 'only' });
    const seen = items.map(({ verb, responseStatus }) => `${verb} ${responseStatus?.code}`);
    expect(seen).toEqual(['create 422', 'delete 200']);
    const without = (await search(query)).items;
    expect(without.filter(({ verb }) => verb === 'delete' || verb === 'create')).toHaveLength(2);
    expect((await search({ ...query, dryRuns: 'include' })).items).toHaveLength(without.length + 2);
  });

  it('finds requests without a valid credential among the denied ones', async () => {
    expect((await bench.send(server, `${groupPath}/projects/red`, { token: 'no-key' })).code).toBe(401);
    const { items } = await search({ decision: 'denied', code: '401' });
    expect(items).toMatchObject([{ requestURI: `${groupPath}/projects/red` }]);
  });

  it('is open to auditors, who may change nothing, and to no other users', async () => {
    await bench.createObject(server, 'users', 'rita', { groups: [auditorsGroup] });
    await bench.createObject(server, 'users', 'omar');
    const rita = await bench.createKey(server, 'of-rita', { user: 'rita' });
    const omar = await bench.createKey(server, 'of-omar', { user: 'omar' });
    const codes = async (token: string) => [
      (await bench.send(server, '/audit', { token })).code,
      (await bench.send(server, `${groupPath}/accesskeys`, { token })).code,
      (await bench.send(server, `${groupPath}/projects/red`, { token })).code,
      (await bench.send(server, `${groupPath}/projects/red`, { token, ...mergePatch({ spec: { displayName: 'x' } }) }))
        .code,
    ];
    expect(await codes(rita)).toEqual([200, 200, 200, 403]);
    expect(await codes(omar)).toEqual([403, 403, 403, 403]);
  });

  it('is audited itself, without its search terms', async () => {
    await search({ text: 'looked-for', user: 'nobody-at-all' });
    const { items } = await search({ text: '/audit?', limit: 10 });
    const own = items.find(({ requestURI }) => requestURI.includes('user='));
    expect(own).toMatchObject({ verb: 'get', user: { username: 'admin' }, responseStatus: { code: 200 } });
    expect(JSON.stringify(items)).not.toMatch(/looked-for|nobody-at-all/);
  });

  it('reports all errors of a query at once', async () => {
    const { code, json } = await bench.send(server, '/audit?limit=0&since=now&nme=x');
    expect(code).toBe(400);
    expect(json).toMatchObject({
      kind: 'Status',
      reason: 'BadRequest',
      message:
        'the query is invalid: limit must be an integer from 1 to 1000; since must be an RFC 3339 time such as 2026-11-15T08:00:00Z; "nme" is not a known parameter',
    });
  });

  const otherPositions = 'a search of several replicas continues at a position in each of their logs';
  itExceptOnEtcd(
    'reports that a log no longer contains the position at which to continue',
    otherPositions,
    async () => {
      const gone = Buffer.from('1 0123456789abcdef 5').toString('base64url');
      expect((await bench.send(server, `/audit?continue=${gone}`)).json).toMatchObject({
        code: 410,
        reason: 'Expired',
      });
    },
  );

  it('is read-only and reserved for admins and auditors; a refused caller is audited', async () => {
    expect((await bench.send(server, '/audit', { method: 'POST', body: {} })).code).toBe(405);
    expect((await bench.send(server, '/audit', { token: anna })).code).toBe(403);
    const { items } = await search({ user: 'anna', text: '"requestURI":"/audit"' });
    expect(items).toMatchObject([{ responseStatus: { code: 403 }, decision: { allowed: false } }]);
  });

  it('skips a line that a crash cut off, and finds the lines around it', async () => {
    await appendFile(bench.file('audit.log'), '{"level":"Metadata","audi\n');
    await bench.createObject(server, 'projects', 'green');
    const { items } = await search({ resource: 'projects', verb: 'create', stage: 'ResponseComplete', limit: 2 });
    expect(items).toHaveLength(2);
  });
});
