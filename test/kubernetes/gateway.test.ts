import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type JsonObject, listAt, textAt, valueAt } from '@flotilla/json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { managementGroup } from '../../src/api/naming.ts';
import { groupPath, mergePatch } from '../../src/server/server.fixture.ts';
import { type Kubectl, kubectlWith } from '../harness/kubectl.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { type Flotilla, instancesPath, openFlotilla } from './harness/open-flotilla.ts';
import { findKubernetes } from './harness/programs.ts';
import { type Kubernetes, startKubernetes } from './harness/start-kubernetes.ts';

const programs = findKubernetes();
const cluster = 'europe';
const gateway = '/kubernetes/project/default/virtualcluster/demo';
/** Selects kubectl's older protocol (SPDY) instead of WebSockets. */
const spdy = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' };

describeIfAvailable(typeof programs === 'string' ? programs : undefined, 'the gateways to real clusters', () => {
  let kubernetes: Kubernetes;
  let flotilla: Flotilla;
  let inside: Kubectl;
  let files = 0;

  beforeAll(async () => {
    if (typeof programs === 'string') return;
    kubernetes = await startKubernetes({ programs });
    flotilla = await openFlotilla(kubernetes);
    await flotilla.connect(cluster, kubernetes);
    const made = await flotilla.createInstance('demo', { clusterRef: { cluster }, template: {} });
    await flotilla.wait('demo', 'condition=Ready');
    const ref = (member: string) => textAt(made, 'spec', 'clusterRef', member);
    await (await kubernetes.standIn({ namespace: ref('namespace'), name: ref('virtualCluster') })).startNode();
    inside = await flotilla.kubectlInside('demo');
    await inside.ok(['run', 'web', '--image=web']);
    await inside.ok(['wait', '--for=condition=Ready', 'pod/web', '--timeout=30s']);
  });
  afterAll(async () => {
    await flotilla.close();
    await kubernetes.stop();
  });

  /** Returns kubectl with the credentials of the management API, redirected to another path of the same server. */
  async function turnedTo(own: Kubectl, path: string): Promise<Kubectl> {
    const config = JSON.parse(await own.ok(['config', 'view', '--raw', '--minify', '-o', 'json']));
    const [only] = config.clusters;
    only.cluster.server = `${flotilla.server.url}${path}`;
    files += 1;
    const file = `${flotilla.bench.root}/turned-${files}.kubeconfig`;
    writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
    return kubectlWith(file);
  }

  it('connect authorized users to the cluster itself, with their permissions there (completions §8)', async () => {
    const ana = await flotilla.createUser('ana');
    const there = await turnedTo(ana, `/kubernetes/cluster/${cluster}`);
    expect((await there.run(['get', 'ns'])).stderr).toMatch(/Forbidden/);
    const access = [{ name: 'use', verbs: ['use'], users: ['ana'] }];
    await flotilla.ask(`${groupPath}/clusters/${cluster}`, mergePatch({ spec: { access } }));
    expect((await there.run(['get', 'ns'])).stderr).toMatch(/User "ana" cannot list resource "namespaces"/);
    expect(await there.ok(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'])).toBe('ana');
    await kubernetes.kubectl.ok(['create', 'namespace', 'anas']);
    await kubernetes.kubectl.ok(['create', 'rolebinding', 'ana', '-n', 'anas', '--clusterrole=admin', '--user=ana']);
    await there.ok(['run', 'web', '--image=web', '-n', 'anas']);
    await there.ok(['wait', '--for=condition=Ready', 'pod/web', '-n', 'anas', '--timeout=30s']);
    for (const env of [{}, spdy]) {
      expect(await there.ok(['exec', '-n', 'anas', 'web', '--', 'sh', '-c', 'echo "$POD"'], { env })).toBe(
        'anas/web\n',
      );
      expect(await there.ok(['exec', '-i', '-n', 'anas', 'web', '--', 'cat'], { env, input: 'to and fro' })).toBe(
        'to and fro',
      );
    }
    const logs = there.follow(['logs', '-f', 'web', '-n', 'anas']);
    await logs.waitForOutput(/has started/);
    const watch = there.follow(['get', 'configmaps', '-n', 'anas', '-w', '-o', 'name']);
    await there.ok(['create', 'configmap', 'first', '-n', 'anas']);
    await watch.waitForOutput(/configmap\/first/);
    const shell = there.follow(['exec', '-n', 'anas', 'web', '--', 'sh', '-c', 'echo up; sleep 600']);
    await shell.waitForOutput(/up/);
    await flotilla.ask(`${groupPath}/clusters/${cluster}`, mergePatch({ spec: { access: [] } }));
    // Long-running requests end when the permission is revoked.
    await Promise.all([logs, watch, shell].map(({ child }) => child.exitCode ?? once(child, 'close')));
    expect((await there.run(['get', 'cm', '-n', 'anas'])).stderr).toMatch(/Forbidden/);
    expect(
      (await (await turnedTo(flotilla.admin, `/kubernetes/cluster/${cluster}`)).ok(['get', 'ns'])).length,
    ).toBeGreaterThan(0);
  });

  it('pass other protocols through: exec, attach, port-forward, with both protocols of kubectl (issue 7)', async () => {
    const page = createServer((request, response) => request.pipe(response)).listen(0, '127.0.0.1');
    await once(page, 'listening');
    for (const env of [{}, spdy]) {
      expect(await inside.ok(['exec', '-i', 'web', '--', 'cat'], { env, input: 'to and fro' })).toBe('to and fro');
      expect((await inside.run(['exec', 'web', '--', 'sh', '-c', 'echo no >&2; exit 7'], { env })).code).toBe(7);
      const large = 'x'.repeat(2_000_000);
      expect((await inside.ok(['exec', '-i', 'web', '--', 'cat'], { env, input: large })).length).toBe(large.length);
      await inside.ok(['attach', '-i', 'web'], { env, input: 'said\n' });
    }
    const { port: there } = page.address() as AddressInfo;
    const forward = inside.follow(['port-forward', 'pod/web', `:${there}`]);
    const [, port] = /127\.0\.0\.1:(\d+)/.exec(await forward.waitForOutput(/127\.0\.0\.1:\d+/)) ?? [];
    const body = 'y'.repeat(3_000_000);
    for (let count = 0; count < 3; count += 1) {
      expect((await (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body })).text()).length).toBe(
        body.length,
      );
    }
    await forward.stop();
    await once(page.close(), 'close');

    const opened = (await flotilla.bench.read('audit.log'))
      .split('\n')
      .filter((line) => line.includes('"subresource":"exec"'));
    // A WebSocket starts with a GET, SPDY with a POST.
    expect(new Set(opened.map((line) => textAt(JSON.parse(line), 'verb')))).toEqual(new Set(['get', 'create']));

    const watched = `${flotilla.server.url.replace('https', 'wss')}${gateway}/api/v1/namespaces/default/configmaps?watch=true`;
    const headers = { authorization: `Bearer ${await flotilla.bench.adminKey()}` };
    // Kubernetes requires the Origin header of a WebSocket, as browsers send it.
    const origin = flotilla.server.url;
    const socket = new WebSocket(watched, { headers, origin, ca: await flotilla.bench.read('ca.crt') });
    await once(socket, 'open');
    const received = new Promise<void>((resolve) => {
      socket.on('message', (line) => {
        if (String(line).includes('"by-socket"')) resolve();
      });
    });
    await inside.ok(['create', 'configmap', 'by-socket']);
    await received;
    socket.close();
  });

  it('accept tokens of the accounts inside, and no others (completions §8)', async () => {
    await inside.ok(['create', 'serviceaccount', 'robot']);
    await inside.ok(['create', 'clusterrolebinding', 'robot', '--clusterrole=view', '--serviceaccount=default:robot']);
    const token = (await inside.ok(['create', 'token', 'robot'])).trim();
    const asked = async (path: string, bearer = token, call = {}) =>
      (await flotilla.ask(`${gateway}${path}`, { token: bearer, ...call })).code;
    expect(await asked('/api/v1/namespaces/default/pods')).toBe(200);
    expect(await asked('/api/v1/namespaces/default/secrets')).toBe(403);
    const who = await flotilla.ask(`${gateway}/apis/authentication.k8s.io/v1/selfsubjectreviews`, {
      method: 'POST',
      token,
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    });
    expect(textAt(who.json, 'status', 'userInfo', 'username')).toBe('system:serviceaccount:default:robot');
    // The token gives access to nothing else: not to the host cluster, not to the server itself.
    expect((await flotilla.ask(`/kubernetes/cluster/${cluster}/api`, { token })).code).toBe(401);
    expect((await flotilla.ask(`${groupPath}/projects`, { token })).code).toBe(401);
    // A service account of the host cluster has no identity inside the virtual cluster.
    await kubernetes.kubectl.ok(['create', 'serviceaccount', 'outsider', '-n', 'default']);
    const foreign = (await kubernetes.kubectl.ok(['create', 'token', 'outsider', '-n', 'default'])).trim();
    expect(await asked('/api/v1/namespaces/default/pods', foreign)).toBe(401);
  });

  it('name tokens without a creator when a user is offboarded, and revoke them on request (decision 56)', async () => {
    const dora = await flotilla.createUser('dora');
    const access = [{ name: 'use', verbs: ['use', 'get'], users: ['dora'] }];
    const rules = [{ users: ['dora'], clusterRole: 'cluster-admin' }];
    await flotilla.ask(`${instancesPath}/demo`, mergePatch({ spec: { access, extraAccessRules: rules } }));
    const doras = await flotilla.kubectlInside('demo', dora);
    await doras.ok(['create', 'serviceaccount', 'bot']);
    await doras.ok(['create', 'clusterrolebinding', 'bot', '--clusterrole=view', '--serviceaccount=default:bot']);
    const token = (await doras.ok(['create', 'token', 'bot'])).trim();
    const pods = async () => (await flotilla.ask(`${gateway}/api/v1/namespaces/default/pods`, { token })).code;
    expect(await pods()).toBe(200);
    const offboard = async (query: string, spec: JsonObject) => {
      const path = `${groupPath}/users/dora/offboard${query}`;
      const done = await flotilla.ask(path, { method: 'POST', body: { spec } });
      expect(done.code, done.text).toBe(201);
      return listAt(done.json, 'status', 'items').map(
        (item) =>
          `${textAt(item, 'action')} ${textAt(item, 'kind')} ${textAt(item, 'name')}: ${textAt(item, 'message')}`,
      );
    };
    const kept = await offboard('?dryRun=All', {});
    expect(kept).toContainEqual(
      expect.stringMatching(
        /^Keep VirtualClusterInstance demo: virtual clusters on cluster europe do not record .*for at most 30 days .*flotilla credentials revoke demo -p default --all$/,
      ),
    );
    expect(kept).toContainEqual(
      expect.stringMatching(
        /^Keep ServiceAccountToken default\/bot: .*not known.*accepted at the gateway until .*Z; revoke with flotilla credentials revoke demo -p default --service-account default\/bot$/,
      ),
    );
    // Without `revokeUnattributed`, the token stays valid although its creator is disabled.
    expect(await offboard('', { keepUser: true })).toContainEqual(kept.find((item) => item.startsWith('Keep Virtual')));
    expect(await pods()).toBe(200);
    await flotilla.ask(`${instancesPath}/demo`, mergePatch({ spec: { access } }));
    expect(await offboard('', { revokeUnattributed: true })).toContainEqual(
      expect.stringMatching(/^Revoke ServiceAccountToken default\/bot: .*rejected at the gateway$/),
    );
    expect(await pods()).toBe(401);
    // Tokens that are issued after the offboarding stay valid.
    const next = (await inside.ok(['create', 'token', 'bot'])).trim();
    expect((await flotilla.ask(`${gateway}/api/v1/namespaces/default/pods`, { token: next })).code).toBe(200);
  });

  it('restrict actions and results to the scope of the key (completions §5)', async () => {
    const target = { requestTargets: ['ProjectVirtualCluster'] };
    const scope = {
      rules: [
        {
          verbs: ['get', 'list', 'patch'],
          resources: [{ group: '', resources: ['configmaps', 'pods', 'pods/*'] }],
          ...target,
        },
        { verbs: ['create'], resources: [{ group: 'authorization.k8s.io', resources: ['*'] }], ...target },
      ],
    };
    const token = await flotilla.bench.createKey(flotilla.server, 'narrow', { scope: scope as unknown as JsonObject });
    const ask = (path: string, call = {}) => flotilla.ask(`${gateway}${path}`, { token, ...call });
    const maps = '/api/v1/namespaces/default/configmaps';
    expect((await ask(maps)).code).toBe(200);
    expect((await ask('/api/v1/namespaces/default/secrets')).code).toBe(403);
    const apply = {
      method: 'PATCH',
      type: 'application/apply-patch+yaml',
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'new' } },
    };
    expect((await ask(`${maps}/new?fieldManager=me`, apply)).code).toBe(403);
    await inside.ok(['create', 'configmap', 'new']);
    expect((await ask(`${maps}/new?fieldManager=me`, apply)).code).toBe(200);
    const may = async (verb: string, resource: string) => {
      const body = {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: { resourceAttributes: { verb, resource, namespace: 'default' } },
      };
      const answer = await ask('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { method: 'POST', body });
      return valueAt(answer.json, 'status', 'allowed');
    };
    expect([await may('get', 'configmaps'), await may('get', 'secrets'), await may('delete', 'configmaps')]).toEqual([
      true,
      false,
      false,
    ]);
    for (const path of [
      '/api/v1/namespaces/default%2Fsecrets',
      '/api/v1/namespaces/default/configmaps/../secrets',
      '/api/v1/namespaces/default/configmaps/x%2F..%2F..%2Fsecrets',
    ]) {
      expect([400, 403, 404], path).toContain((await ask(path)).code);
    }
  });

  it('allow impersonation only to callers who may impersonate inside (AUTHZ-08)', async () => {
    const eve = await flotilla.createUser('eve');
    const access = [{ name: 'use', verbs: ['use', 'get'], users: ['eve'] }];
    await flotilla.ask(
      `${instancesPath}/demo`,
      mergePatch({ spec: { access, extraAccessRules: [{ users: ['eve'], clusterRole: 'edit' }] } }),
    );
    const eves = await flotilla.kubectlInside('demo', eve);
    expect(
      (await eves.run(['get', 'secrets', '-n', 'kube-system', '--as=root', '--as-group=system:masters'])).stderr,
    ).toMatch(/Forbidden/);
    await flotilla.ask(
      `${instancesPath}/demo`,
      mergePatch({ spec: { extraAccessRules: [{ users: ['eve'], clusterRole: 'cluster-admin' }] } }),
    );
    expect(await eves.ok(['auth', 'whoami', '--as=someone', '-o', 'jsonpath={.status.userInfo.username}'])).toBe(
      'someone',
    );
    expect(
      await eves.ok(['auth', 'can-i', 'get', 'secrets', '--as=someone']).catch((error: Error) => error.message),
    ).toMatch(/no/);
  });

  it('serve the log of the control plane of an instance (completions §3)', async () => {
    const path = `/apis/${managementGroup}/v1/namespaces/platform-p-default/virtualclusterinstances/demo/log`;
    expect(await flotilla.admin.ok(['get', '--raw', `${path}?tailLines=5`])).toMatch(/has started/);
    const following = await flotilla.bench.request(flotilla.server, `${instancesPath}/demo/log?follow=true`);
    expect(following.statusCode).toBe(200);
    for await (const chunk of following.body) if (String(chunk).includes('has started')) break;
  });

  it('end long-running requests with a message when the instance goes to sleep (completions §3)', async () => {
    const watch = inside.follow(['get', 'configmaps', '-w', '-o', 'name']);
    await inside.ok(['create', 'configmap', 'seen']);
    await watch.waitForOutput(/configmap\/seen/);
    const shell = inside.follow(['exec', 'web', '--', 'sh', '-c', 'echo up; sleep 600']);
    await shell.waitForOutput(/up/);
    const annotation = 'sleepmode.platform.sh/force';
    await flotilla.admin.ok(['annotate', 'vci/demo', `${annotation}=true`]);
    await Promise.all([watch, shell].map(({ child }) => child.exitCode ?? once(child, 'close')));
    const { code, json } = await flotilla.ask(`${gateway}/api/v1/namespaces`);
    expect([code, textAt(json, 'message')]).toEqual([503, expect.stringMatching(/is asleep/)]);
  });

  it('wake a sleeping instance once for all waiting requests (completions §3)', async () => {
    await flotilla.admin.ok([
      'annotate',
      'vci/demo',
      'sleepmode.platform.sh/force-',
      'sleepmode.platform.sh/sleep-after=3',
    ]);
    await flotilla.wait('demo', 'jsonpath={.status.reason}=NotUsed');
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => flotilla.ask(`${gateway}/api/v1/namespaces`)));
    expect(answers.map(({ code, text }) => (code === 200 ? code : text))).toEqual([200, 200, 200, 200, 200]);
  });
});
