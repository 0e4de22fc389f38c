import { connect } from 'node:http2';
import { textAt } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { ManualClock } from '../lib/clock.ts';
import { builtInClusterPath } from './built-in-cluster.fixture.ts';
import { GatewayTestEnv, gatewayPath, instances, namespacesPathIn, sharedWith } from './gateway.fixture.ts';
import { inPhase } from './instances.fixture.ts';
import { groupPath, mergePatch } from './server.fixture.ts';

describe('a long-running request to the virtual cluster of an instance', () => {
  const at = GatewayTestEnv.forEach();
  const watched = `${namespacesPathIn('demo')}?watch=true`;

  async function annasWatch() {
    const anna = await at.createUser('anna');
    await at.createInstance('demo', sharedWith('anna'));
    const watch = await at.openStream(watched, await at.token('demo', anna));
    expect(watch.statusCode).toBe(200);
    return watch;
  }

  it('ends with its key, also if it uses a token of the key (completions §5)', async () => {
    const watch = await annasWatch();
    await at.send(`${groupPath}/accesskeys/annas`, mergePatch({ spec: { disabled: true } }));
    expect(await watch.body.text()).toMatch(/"type":"ERROR".*"reason":"Unauthorized","code":401/);
  });

  it('ends when its caller loses access to the instance (completions §5)', async () => {
    const watch = await annasWatch();
    await at.send(`${instances}/demo`, mergePatch({ spec: { access: [] } }));
    expect(await watch.body.text()).toMatch(/"type":"ERROR".*"code":410/);
  });

  it('ends when the instance grants different roles (completions §8)', async () => {
    const watch = await annasWatch();
    const extraAccessRules = [{ users: ['*'], clusterRole: 'view' }];
    await at.send(`${instances}/demo`, mergePatch({ spec: { extraAccessRules } }));
    expect(await watch.body.text()).toMatch(/"type":"ERROR".*"code":410/);
  });

  it('ends when the instance is deleted or put to sleep (completions §3)', async () => {
    await at.createInstance('demo');
    const before = await at.openStream(watched);
    const annotations = { 'sleepmode.platform.sh/force': 'true' };
    await at.send(`${instances}/demo`, mergePatch({ metadata: { annotations } }));
    expect(await before.body.text()).toMatch(/is asleep/);
    await at.send(
      `${instances}/demo`,
      mergePatch({ metadata: { annotations: { 'sleepmode.platform.sh/force': null } } }),
    );
    await at.waitForInstance('demo', inPhase('Ready'));
    const after = await at.openStream(watched);
    await at.send(`${instances}/demo`, { method: 'DELETE' });
    expect(await after.body.text()).toMatch(/is being removed/);
  });

  it('ends with an instance whose virtual cluster remains (completions §4)', async () => {
    const there = `${builtInClusterPath}/apis/storage.platform.sh/v1/namespaces/default/virtualclusters`;
    expect((await at.post(there, { metadata: { name: 'kept' } })).code).toBe(201);
    const clusterRef = { cluster: 'local', namespace: 'default', virtualCluster: 'kept' };
    await at.createInstance('demo', { external: true, clusterRef });
    const watch = await at.openStream(watched);
    expect(watch.statusCode).toBe(200);
    await at.send(`${instances}/demo`, { method: 'DELETE' });
    expect(await watch.body.text()).toMatch(/is being removed/);
    expect(await at.code(`${there}/kept/proxy/api`)).toBe(200);
  });

  it('keeps a virtual cluster awake, and wakes a sleeping one (completions §3)', async () => {
    const clock = new ManualClock(Date.now());
    await at.restart({}, clock);
    await at.createInstance('demo', {}, { 'sleepmode.platform.sh/sleep-after': '100' });
    clock.advance(90_000);
    expect(await at.code(namespacesPathIn('demo'))).toBe(200);
    clock.advance(90_000);
    expect(await at.code(namespacesPathIn('demo'))).toBe(200);
    clock.advance(101_000);
    await at.waitForInstance('demo', inPhase('Sleeping'));
    const codes = await Promise.all(Array.from({ length: 5 }, () => at.code(namespacesPathIn('demo'))));
    expect(codes).toEqual([200, 200, 200, 200, 200]);
    await at.waitForInstance('demo', inPhase('Ready'));
  });

  it('wakes a virtual cluster with a valid service account token only (completions §8)', async () => {
    const clock = new ManualClock(Date.now());
    await at.restart({}, clock);
    await at.createInstance('demo', {}, { 'sleepmode.platform.sh/sleep-after': '100' });
    const accounts = `${namespacesPathIn('demo')}/default/serviceaccounts`;
    const tokenOf = async (name: string) => {
      expect((await at.post(accounts, { metadata: { name } })).code).toBe(201);
      return textAt((await at.post(`${accounts}/${name}/token`, { spec: {} })).json, 'status', 'token');
    };
    const [good, gone] = [await tokenOf('good'), await tokenOf('gone')];
    await at.send(`${accounts}/gone`, { method: 'DELETE' });
    clock.advance(101_000);
    await at.waitForInstance('demo', inPhase('Sleeping'));
    expect(await at.code(`${gatewayPath('demo')}/version`, gone)).toBe(401);
    expect(await at.code(`${gatewayPath('demo')}/version`, `${good}x`)).toBe(401);
    await at.waitForInstance('demo', inPhase('Sleeping'));
    expect(await at.code(`${gatewayPath('demo')}/version`, good)).toBe(200);
    await at.waitForInstance('demo', inPhase('Ready'));
  });

  it('works over a WebSocket and over HTTP/2', async () => {
    await at.createInstance('demo');
    const token = await at.token('demo');
    const ca = await at.bench.read('ca.crt');
    const headers = { authorization: `Bearer ${token}` };
    const socket = new WebSocket(`${at.server.url.replace('https', 'wss')}${watched}`, { ca, headers });
    const overSocket = new Promise<void>((resolve, reject) => {
      socket.on('message', (data) => {
        if (String(data).includes('"later"')) resolve();
      });
      socket.on('error', reject);
    });
    await new Promise((resolve) => socket.once('open', resolve));
    const session = connect(at.server.url, { ca });
    const stream = session.request({ ':path': watched, ...headers });
    const overHttp2 = new Promise<void>((resolve, reject) => {
      let text = '';
      stream.on('error', reject);
      stream.on('data', (chunk) => {
        text += chunk;
        if (text.includes('"later"')) resolve();
      });
    });
    expect((await at.post(namespacesPathIn('demo'), { metadata: { name: 'later' } }, token)).code).toBe(201);
    await Promise.all([overSocket, overHttp2]);
    socket.close();
    session.close();
  });

  it('accepts large bodies like the virtual cluster, and reports its own limit (completions §10)', async () => {
    await at.createInstance('demo');
    const maps = `${gatewayPath('demo')}/api/v1/namespaces/default/configmaps`;
    const large = { metadata: { name: 'large' }, data: { text: 'x'.repeat(1_000_000) } };
    expect((await at.post(maps, large)).code).toBe(201);
    expect(textAt((await at.send(`${maps}/large`)).json, 'data', 'text').length).toBe(1_000_000);
    const larger = { metadata: { name: 'larger' }, data: { text: 'x'.repeat(4_000_000) } };
    expect((await at.post(maps, larger)).code).toBe(413);
  });
});
