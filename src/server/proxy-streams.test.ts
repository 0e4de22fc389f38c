import { connect } from 'node:http2';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { BuiltInClusterTestEnv, builtInClusterPath, inPhase, proxyPath } from './built-in-cluster.fixture.ts';
import { groupPath, mergePatch } from './server.fixture.ts';

describe('a long-running request to a virtual cluster', () => {
  const at = BuiltInClusterTestEnv.forEach();
  const namespaces = `${proxyPath('one')}/api/v1/namespaces`;
  const watched = `${namespaces}?watch=true`;

  async function annaInside(): Promise<string> {
    await at.bench.createObject(at.server, 'users', 'anna');
    const token = await at.bench.createKey(at.server, 'annas', { user: 'anna' });
    await at.send(`${groupPath}/clusters/local`, mergePatch({ spec: { access: [use] } }));
    await at.createVirtualCluster('one');
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'anna' }];
    for (const root of [builtInClusterPath, proxyPath('one')]) {
      const path = `${root}/apis/rbac.authorization.k8s.io/v1/clusterrolebindings`;
      expect((await at.post(path, { metadata: { name: 'anna' }, roleRef, subjects })).code).toBe(201);
    }
    return token;
  }
  const use = { name: 'use', verbs: ['use'], users: ['anna'] };

  it('ends when its caller loses access in the management API (completions §5)', async () => {
    const token = await annaInside();
    const watches = await Promise.all(
      [`${builtInClusterPath}/api/v1/namespaces?watch=true`, watched].map((path) => at.request(path, { token })),
    );
    expect(watches.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    await at.send(`${groupPath}/clusters/local`, mergePatch({ spec: { access: [] } }));
    for (const { body } of watches) expect(await body.text()).toMatch(/"type":"ERROR".*"code":410/);
    expect((await at.send(namespaces, { token })).code).toBe(403);
  });

  it('ends with its key (completions §5)', async () => {
    const token = await annaInside();
    const watch = await at.request(watched, { token });
    await at.send(`${groupPath}/accesskeys/annas`, mergePatch({ spec: { disabled: true } }));
    await watch.body.text();
    expect((await at.send(namespaces, { token })).code).toBe(401);
  });

  it('ends with the service account of its token', async () => {
    await at.createVirtualCluster('one');
    await at.waitForVirtualCluster('one', inPhase('Ready'));
    const accounts = `${proxyPath('one')}/api/v1/namespaces/default/serviceaccounts`;
    await at.post(accounts, { metadata: { name: 'robot' } });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
    const subjects = [{ kind: 'ServiceAccount', name: 'robot', namespace: 'default' }];
    const bindings = `${proxyPath('one')}/apis/rbac.authorization.k8s.io/v1/clusterrolebindings`;
    await at.post(bindings, { metadata: { name: 'robot' }, roleRef, subjects });
    const { json } = await at.post(`${accounts}/robot/token`, { spec: {} });
    const { token } = json.status as { token: string };
    const watch = await at.request(watched, { token });
    expect(watch.statusCode).toBe(200);
    expect((await at.send(`${accounts}/robot`, { method: 'DELETE' })).code).toBe(200);
    await watch.body.text();
    expect((await at.send(namespaces, { token })).code).toBe(401);
  });

  it('works over a WebSocket', async () => {
    await at.createVirtualCluster('one');
    const socket = new WebSocket(`${at.server.url.replace('https', 'wss')}${watched}`, {
      ca: await at.bench.read('ca.crt'),
      headers: { authorization: `Bearer ${await at.bench.adminKey()}` },
    });
    const seen = new Promise<void>((resolve, reject) => {
      socket.on('message', (data) => {
        if (String(data).includes('"later"')) resolve();
      });
      socket.on('error', reject);
    });
    await new Promise((resolve) => socket.once('open', resolve));
    await at.post(namespaces, { metadata: { name: 'later' } });
    await seen;
    socket.close();
  });

  it('works over HTTP/2 with many concurrent streams', async () => {
    await at.createVirtualCluster('one');
    const session = connect(at.server.url, { ca: await at.bench.read('ca.crt') });
    const authorization = `Bearer ${await at.bench.adminKey()}`;
    const watches = Array.from({ length: 20 }, () => {
      const stream = session.request({ ':path': watched, authorization });
      return new Promise<void>((resolve, reject) => {
        let text = '';
        stream.on('error', reject);
        stream.on('data', (chunk) => {
          text += chunk;
          if (text.includes('"later"')) resolve();
        });
      });
    });
    await at.post(namespaces, { metadata: { name: 'later' } });
    await Promise.all(watches);
    session.close();
    await at.send(proxyPath('one').slice(0, -'/proxy'.length), { method: 'DELETE' });
    await at.waitForVirtualCluster('one', (object) => Object.keys(object).length === 0);
  });
});
