import { textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PolicyLine } from '../../api/agent/policy-feed.ts';
import { ManualClock } from '../../lib/clock.ts';
import { readLines } from '../../lib/read-lines.ts';
import { ReplicasTestEnv, type ServerReplica } from '../replicas.fixture.ts';
import { groupPath } from '../server.fixture.ts';

let clock: ManualClock;
let at: ReplicasTestEnv;
let first: ServerReplica;
let second: ServerReplica;
let agentKey: string;

beforeEach(async () => {
  clock = new ManualClock();
  at = await ReplicasTestEnv.open(clock);
  ({ first, second } = at);
  await first.bench.createObject(first.server, 'clusters', 'edge', { networkPeer: true });
  const answer = await first.send(`${groupPath}/clusters/edge/accesskey`, { method: 'POST', body: {} });
  expect(answer.code, answer.text).toBe(201);
  agentKey = textAt(answer.json, 'accessKey');
});
afterEach(() => at.close());

const path = (name: string) => `/kubernetes/agent/edge/${name}`;

/** Opens the policy feed and returns the names of its keys, the revision of its first line and the rest of the feed. */
async function openFeed(replica: ServerReplica) {
  const { body, statusCode } = await replica.bench.request(replica.server, path('policy'), { token: agentKey });
  expect(statusCode).toBe(200);
  const lines = readLines(body)[Symbol.asyncIterator]();
  const next = async () => {
    const { done, value } = await lines.next();
    return done === true ? undefined : (JSON.parse(value) as PolicyLine);
  };
  const keys: string[] = [];
  let revision: number | undefined;
  for (let line = await next(); line?.type !== 'SYNCED'; line = await next()) {
    if (line === undefined) throw new Error('the feed ended');
    if (line.type === 'BEGIN') revision = line.revision;
    if (line.type === 'KEY') keys.push(line.key.name);
  }
  return { keys, revision: revision ?? 0, next };
}

describe('an agent that connects to several replicas', () => {
  it('never gets a revoked key from a replica that has not received the revocation yet', async () => {
    await first.bench.createKey(first.server, 'revoked');
    const before = await openFeed(first);
    expect(before.keys).toContain('revoked');
    second.gate.hold();
    await first.send(`${groupPath}/ownedaccesskeys/revoked`, { method: 'DELETE' });
    const after = await openFeed(second);
    expect(after.keys).not.toContain('revoked');
    expect(after.revision).toBeGreaterThan(before.revision);
  });

  it('gets a keepalive only after all earlier changes', async () => {
    const { next, revision } = await openFeed(second);
    second.gate.hold();
    await first.bench.createKey(first.server, 'late');
    const arriving = next();
    clock.advance(3_000);
    expect(await arriving).toMatchObject({ type: 'KEY', key: { name: 'late' } });
    let alive = next();
    for (;;) {
      clock.advance(3_000);
      const line = await alive;
      if (line?.type === 'ALIVE') {
        expect(line.revision).toBeGreaterThan(revision);
        return;
      }
      alive = next();
    }
  });

  it('writes each audit line once, whichever replica it uploads to', async () => {
    const line = (auditID: string) => ({
      level: 'Metadata',
      stage: 'ResponseComplete',
      auditID,
      verb: 'get',
      requestURI: '/x',
      sourceIPs: ['127.0.0.1'],
      userAgent: 'test',
    });
    const upload = async (replica: ServerReplica, number: number, ...ids: string[]) => {
      const body = { log: 'log', first: number, lines: ids.map(line) };
      return (await replica.send(path('audit'), { method: 'POST', token: agentKey, body })).json;
    };
    expect(await upload(first, 0, 'a', 'b')).toEqual({ next: 2 });
    expect(await upload(second, 0, 'a', 'b', 'c')).toEqual({ next: 3 });
    expect(await upload(first, 2, 'c', 'd')).toEqual({ next: 4 });
    const written = await Promise.all([first, second].map(({ bench }) => bench.read('audit.log')));
    const ids = written.join('').match(/"auditID":"[a-d]"/g) ?? [];
    expect(ids.sort()).toEqual(['a', 'b', 'c', 'd'].map((id) => `"auditID":"${id}"`));
  });

  it('does not replace its own address if another replica has stored it', async () => {
    const body = { url: 'https://127.0.0.1:1', authority: '', credential: 'c', host: 'built-in', version: '1' };
    second.gate.hold();
    const announce = (replica: ServerReplica) =>
      replica.send(path('announcement'), { method: 'PUT', token: agentKey, body });
    expect((await announce(first)).code).toBe(200);
    const stored = (await first.send(`${groupPath}/clusters/edge`)).json;
    expect((await announce(second)).code).toBe(200);
    const again = (await first.send(`${groupPath}/clusters/edge`)).json;
    expect(textAt(again, 'spec', 'kubeconfig')).toBe(textAt(stored, 'spec', 'kubeconfig'));
    expect(textAt(again, 'metadata', 'generation')).toBe(textAt(stored, 'metadata', 'generation'));
  });
});
