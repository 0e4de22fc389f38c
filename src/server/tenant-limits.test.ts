import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2';
import { join } from 'node:path';
import { type JsonObject, textAt } from '@flotilla/json';
import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../lib/clock.ts';
import { builtInClusterPath } from './built-in-cluster.fixture.ts';
import { GatewayTestEnv, instances, namespacesPathIn } from './gateway.fixture.ts';
import { groupPath, mergePatch } from './server.fixture.ts';

const configMaps = `${builtInClusterPath}/api/v1/namespaces/default/configmaps`;
const projects = `${groupPath}/projects`;

describe('the limits of a tenant', () => {
  const at = GatewayTestEnv.forEach();
  const sessions: ClientHttp2Session[] = [];
  afterEach(() => {
    for (const session of sessions.splice(0)) session.destroy();
  });

  async function restart(settings: JsonObject, clock?: ManualClock): Promise<void> {
    const config = join(at.bench.root, 'config.yaml');
    await writeFile(config, JSON.stringify(settings));
    await at.restart({ config }, clock);
  }

  const makeInstance = (name: string, token?: string) => at.post(instances, { metadata: { name }, spec: {} }, token);

  /** Creates users who may use the default project. Returns their access keys. */
  async function createMembers(...names: string[]): Promise<string[]> {
    const keys: string[] = [];
    for (const name of names) keys.push(await at.createUser(name));
    const members = names.map((name) => ({ kind: 'User', name, clusterRole: 'platform-management-project-user' }));
    expect((await at.send(`${projects}/default`, mergePatch({ spec: { members } }))).code).toBe(200);
    return keys;
  }

  it('refuse one instance too many, and keep those that exist usable', async () => {
    const [anna = ''] = await createMembers('anna');
    for (const name of ['a', 'b', 'c']) expect((await makeInstance(name, anna)).code).toBe(201);
    await restart({ instances: { perUser: 2 } });
    const refused = await makeInstance('d', anna);
    expect([refused.code, textAt(refused.json, 'message')]).toEqual([
      403,
      'virtualclusterinstances.management.platform.sh "d" is forbidden: exceeded quota of user "anna", requested: virtualclusterinstances=1, used: virtualclusterinstances=3, limited: virtualclusterinstances=2; the limit is the server setting instances.perUser; delete instances, or ask an admin to set spec.quotas.user of the project',
    ]);
    const renamed = { ...mergePatch({ spec: { displayName: 'still usable' } }), token: anna };
    expect((await at.send(`${instances}/a`, renamed)).code).toBe(200);
    expect((await makeInstance('of-admin')).code).toBe(201);

    await restart({ instances: { perProject: 4 } });
    expect(textAt((await makeInstance('d', anna)).json, 'message')).toContain('server setting instances.perProject');
    const quotas = { project: { virtualclusterinstances: 5 } };
    expect((await at.send(`${projects}/default`, mergePatch({ spec: { quotas } }))).code).toBe(200);
    expect((await makeInstance('d', anna)).code).toBe(201);
    expect((await makeInstance('e', anna)).code).toBe(403);
    // A quota that a project sets applies to admins too, who can change it.
    expect((await makeInstance('e')).code).toBe(403);
  });

  it('refuse one access key too many', async () => {
    await restart({ accessKeys: { perUser: 1 } });
    const anna = await at.createUser('anna');
    const second = await at.post(`${groupPath}/ownedaccesskeys`, { metadata: { name: 'second' }, spec: {} }, anna);
    expect([second.code, textAt(second.json, 'message')]).toEqual([
      403,
      expect.stringContaining('limited: accesskeys=1; the limit is the server setting accessKeys.perUser'),
    ]);
  });

  it('refuse requests above the rate of a key, but not those of an unscoped key of an admin', async () => {
    const [anna = ''] = await createMembers('anna');
    const scoped = await at.bench.createKey(at.server, 'scoped', { scope: { projects: [{ project: 'default' }] } });
    await at.createInstance('demo');
    const clock = new ManualClock();
    await restart({ limits: { requestsPerSecond: 1, requestBurst: 5 } }, clock);
    const codes = async (token?: string, path = instances) => {
      const seen: number[] = [];
      for (let index = 0; index < 8; index++) seen.push(await at.code(path, token));
      return seen;
    };
    expect(await codes(anna)).toEqual([...Array(5).fill(200), 429, 429, 429]);
    expect(await codes(scoped)).toEqual([...Array(5).fill(200), 429, 429, 429]);
    for (const path of [instances, configMaps, namespacesPathIn('demo')]) {
      expect(await codes(undefined, path)).toEqual(Array(8).fill(200));
    }

    const refused = await at.openStream(instances, anna);
    expect(refused.statusCode).toBe(429);
    // The three refused requests count too. At one request per second, they add up to three seconds to the wait.
    expect(['1', '2', '3', '4']).toContain(refused.headers['retry-after']);
    expect(await refused.body.json()).toMatchObject({
      reason: 'TooManyRequests',
      details: { retryAfterSeconds: Number(refused.headers['retry-after']) },
      message: expect.stringContaining('limits.requestsPerSecond'),
    });
    clock.advance(1_000);
    expect(await at.code(instances, anna)).toBe(200);
  });

  it('apply to the key and not to the user whom its holder impersonates', async () => {
    const key = await at.bench.createKey(at.server, 'scoped', { scope: { projects: [{ project: 'default' }] } });
    await restart({ limits: { requestsPerSecond: 1, requestBurst: 2 } }, new ManualClock());
    const codes: number[] = [];
    for (const user of ['one', 'two', 'three']) {
      const headers = { 'impersonate-user': user };
      codes.push((await at.bench.request(at.server, configMaps, { token: key }, headers)).statusCode);
    }
    expect(codes.at(-1)).toBe(429);
    expect(codes.slice(0, 2)).not.toContain(429);
  });

  async function openSession(): Promise<ClientHttp2Session> {
    const session = connect(at.server.url, { ca: await at.bench.read('ca.crt') });
    sessions.push(session);
    await once(session, 'connect');
    return session;
  }

  /** Opens a watch on the connection. Returns its stream and its status code. */
  async function watch(
    session: ClientHttp2Session,
    token: string,
  ): Promise<{ stream: ClientHttp2Stream; code: number }> {
    const stream = session.request({ ':path': `${instances}?watch=1`, authorization: `Bearer ${token}` });
    const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
    return { stream, code: Number(headers[':status']) };
  }

  it('refuse one watch too many of a key, and accept it after another one has ended', async () => {
    const [anna = ''] = await createMembers('anna');
    await restart({ limits: { watchesPerKey: 2 } });
    const [one, other] = [await openSession(), await openSession()];
    const first = await watch(one, anna);
    expect([first.code, (await watch(other, anna)).code]).toEqual([200, 200]);
    const refused = await at.openStream(`${instances}?watch=1`, anna);
    expect(refused.statusCode).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(5);
    expect(textAt((await refused.body.json()) as JsonObject, 'message')).toContain(
      'this credential has 2 open watches, and the server setting limits.watchesPerKey allows 2',
    );
    const root = await at.bench.adminKey();
    for (let index = 0; index < 3; index++) expect((await watch(one, root)).code).toBe(200);
    expect(await at.code(instances, anna)).toBe(200);
    first.stream.close();
    await expect.poll(async () => (await watch(other, anna)).code).toBe(200);
  });

  it('refuse one watch too many on a connection', async () => {
    const [anna = '', bob = ''] = await createMembers('anna', 'bob');
    await restart({ limits: { watchesPerConnection: 1 } });
    const session = await openSession();
    expect((await watch(session, anna)).code).toBe(200);
    expect((await watch(session, bob)).code).toBe(429);
    expect((await watch(await openSession(), bob)).code).toBe(200);
  });
});
