import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readKubeconfig } from '../../src/api/kubeconfig.ts';
import type { ApiRequest, ApiResponse, ClusterApi } from '../../src/hosts/host.ts';
import { connectToHost, type HostConnection } from '../../src/hosts/kubernetes/reach/host-connection.ts';
import {
  openVirtualClusterConnections,
  type VirtualClusterConnections,
} from '../../src/hosts/kubernetes/reach/virtual-cluster-connections.ts';
import { ManualClock, systemClock } from '../../src/lib/clock.ts';
import { silentLog } from '../../src/lib/log.ts';
import { readLines } from '../../src/lib/read-lines.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { findKubernetes } from './harness/programs.ts';
import type { StandIn } from './harness/stand-in.ts';
import { type Kubernetes, startKubernetes } from './harness/start-kubernetes.ts';

const programs = findKubernetes();
const place = { namespace: 'reached', name: 'blue' };
const never = new AbortController().signal;
const masters = { name: 'root', groups: ['system:masters'] };

function asking(path: string, more: Partial<ApiRequest> = {}): ApiRequest {
  return { method: 'GET', path, headers: { accept: 'application/json' }, as: masters, signal: never, ...more };
}

async function textOf({ body }: Pick<ApiResponse, 'body'>): Promise<string> {
  let text = '';
  for await (const chunk of body) text += Buffer.from(chunk).toString();
  return text;
}

async function jsonOf(api: ClusterApi, path: string, more: Partial<ApiRequest> = {}) {
  return JSON.parse(await textOf(await api.send(asking(path, more))));
}

async function post(api: ClusterApi, path: string, document: object, as: ApiRequest['as'] = masters) {
  async function* body() {
    yield Buffer.from(JSON.stringify(document));
  }
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  return await jsonOf(api, path, { method: 'POST', body: body(), headers, as });
}

/** Returns the caller's identity as the cluster reports it. */
async function whoAmI(api: ClusterApi, as: ApiRequest['as']) {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const { status } = await post(api, '/apis/authentication.k8s.io/v1/selfsubjectreviews', review, as);
  return status.userInfo;
}

describeIfAvailable(typeof programs === 'string' ? programs : undefined, 'the connection to real clusters', () => {
  let kubernetes: Kubernetes;
  let connection: HostConnection;
  let ways: VirtualClusterConnections;
  let inside: StandIn;
  let uid: string;

  const endpointOf = () => ({
    uid,
    service: { type: 'ClusterIP', clusterIP: '', ingress: [], port: 443 },
    pods: ['blue-0'],
    podPort: 8443,
    secret: 'vc-blue',
  });

  beforeAll(async () => {
    if (typeof programs === 'string') return;
    kubernetes = await startKubernetes({ programs });
    const { kubeconfig, fault } = readKubeconfig(readFileSync(kubernetes.kubeconfig, 'utf8'));
    if (kubeconfig === undefined) throw new Error(fault);
    connection = connectToHost(kubeconfig, { clock: systemClock });
    inside = await kubernetes.installByHand(place);
    const service = await kubernetes.api.ok('GET', '/api/v1/namespaces/reached/services/blue');
    uid = String((service.metadata as { uid: string }).uid);
    ways = openVirtualClusterConnections({
      connection,
      clock: systemClock,
      log: silentLog,
      direct: true,
      endpointOf,
    });
  });
  afterAll(async () => {
    await ways?.close();
    await connection?.close();
    await kubernetes?.stop();
  });

  it('callers keep their identity, in the cluster and in the virtual one, with groups and extras', async () => {
    const jane = { name: 'Łucja', groups: ['devs'], extra: { 'example.com/scope': ['a b', 'ü'] } };
    for (const api of [connection.api, ways.apiOf(place)]) {
      expect(await whoAmI(api, jane)).toMatchObject({
        username: 'Łucja',
        groups: ['devs', 'system:authenticated'],
        extra: { 'example.com/scope': ['a b', 'ü'] },
      });
    }
    const refused = await ways.apiOf(place).send(asking('/api/v1/secrets', { as: jane }));
    expect(refused.status).toBe(403);
    expect(JSON.parse(await textOf(refused)).message).toContain('User "Łucja" cannot list resource "secrets"');
  });

  it("a token of a virtual cluster's service account keeps that identity, whatever certificate this server has", async () => {
    const api = ways.apiOf(place);
    await post(api, '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const { status } = await post(api, '/api/v1/namespaces/default/serviceaccounts/robot/token', request);
    expect((await whoAmI(api, { token: status.token })).username).toBe('system:serviceaccount:default:robot');
    expect((await api.send(asking('/api/v1/secrets', { as: { token: status.token } }))).status).toBe(403);
    expect((await api.send(asking('/api/v1/secrets', { as: { token: 'x' } }))).status).toBe(401);
  });

  it('a watch lasts during other requests, and ends with its signal', async () => {
    const api = ways.apiOf(place);
    const ending = new AbortController();
    const path = '/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=0';
    const watch = await api.send(asking(path, { signal: ending.signal }));
    const lines = readLines(watch.body)[Symbol.asyncIterator]();
    for (let at = 0; at < 3; at++) {
      await post(api, '/api/v1/namespaces/default/configmaps', { metadata: { name: `seen-${at}` } });
      let name = '';
      while (name !== `seen-${at}`) name = JSON.parse(String((await lines.next()).value)).object.metadata.name;
    }
    ending.abort(new Error('done'));
    await expect(lines.next()).rejects.toThrow('done');
  });

  it('an idle connection is kept alive by pings', async () => {
    const { kubeconfig } = readKubeconfig(readFileSync(kubernetes.kubeconfig, 'utf8'));
    if (kubeconfig === undefined) throw new Error('no kubeconfig');
    const clock = new ManualClock();
    const host = connectToHost(kubeconfig, { clock });
    const opened: Duplex[] = [];
    const forward: HostConnection['forward'] = async (pod, signal) => {
      const stream = await host.forward(pod, signal);
      opened.push(stream);
      return stream;
    };
    const { fetch } = host;
    const own = openVirtualClusterConnections({
      connection: { fetch, forward },
      clock,
      log: silentLog,
      direct: false,
      endpointOf,
    });
    for (let round = 0; round < 8; round++) {
      // The ping of each round is answered before the request that follows it.
      clock.advance(25_000);
      expect(await jsonOf(own.apiOf(place), '/version')).toHaveProperty('major');
    }
    expect(opened.map(({ destroyed }) => destroyed)).toEqual(opened.map(() => false));
    expect(opened.length).toBeLessThanOrEqual(2);
    await own.close();
    await host.close();
  });

  it('a list of many megabytes arrives completely, and an unread one blocks no other request', async () => {
    const api = ways.apiOf(place);
    const data = { text: 'x'.repeat(500_000) };
    for (let at = 0; at < 20; at++) {
      await post(api, '/api/v1/namespaces/kube-system/configmaps', { metadata: { name: `long-${at}` }, data });
    }
    const path = '/api/v1/namespaces/kube-system/configmaps';
    const ending = new AbortController();
    const unread = await api.send(asking(path, { signal: ending.signal }));
    const { items } = await jsonOf(api, path);
    expect(
      items.filter(({ metadata }: { metadata: { name: string } }) => metadata.name.startsWith('long-')),
    ).toHaveLength(20);
    expect(unread.status).toBe(200);
    ending.abort();
  });

  it('exec, attach and port-forward are passed through, over WebSockets and SPDY', async () => {
    await inside.startNode();
    await inside.kubectl.ok(['run', 'web', '--image=web']);
    await inside.kubectl.ok(['wait', '--for=condition=Ready', 'pod/web', '--timeout=30s']);
    const api = ways.apiOf(place);
    const pod = '/api/v1/namespaces/default/pods/web';
    const webSocket = (protocol: string) => ({
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      'sec-websocket-protocol': protocol,
    });
    const upgraded = async (path: string, method: string, headers: Record<string, string>) => {
      const answer = await api.upgrade(asking(path, { method, headers }));
      if (!('socket' in answer)) throw new Error(`${answer.status} ${await textOf(answer)}`);
      return answer;
    };
    const exec = await upgraded(
      `${pod}/exec?command=echo&command=hello&stdout=true`,
      'GET',
      webSocket('v5.channel.k8s.io'),
    );
    expect(exec.headers['sec-websocket-protocol']).toBe('v5.channel.k8s.io');
    expect(await until(exec.socket, 'hello\n')).toContain('hello\n');

    const forward = await upgraded(`${pod}/portforward?ports=80`, 'GET', webSocket('v4.channel.k8s.io'));
    forward.socket.destroy();

    const spdy = { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v4.channel.k8s.io' };
    const attach = await upgraded(`${pod}/attach?stdin=true&stdout=true`, 'POST', spdy);
    expect(attach.headers).toMatchObject({ upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v4.channel.k8s.io' });
    attach.socket.destroy();

    const refused = await api.upgrade(
      asking(`${pod}/exec?command=x`, { headers: spdy, as: { name: 'jane', groups: [] } }),
    );
    expect(refused.status).toBe(403);
    const none = await api.upgrade(asking('/api/v1/namespaces/default/pods/none/exec?command=x', { headers: spdy }));
    expect(none.status).toBe(404);
  });

  it('a virtual cluster that restarts with other certificates is reached again', async () => {
    const api = ways.apiOf(place);
    expect((await api.send(asking('/readyz'))).status).toBe(200);
    // Without its claim, the virtual cluster loses its whole state, including its CA.
    await kubernetes.kubectl.ok(['scale', '-n', 'reached', 'statefulset/blue', '--replicas=0']);
    await kubernetes.kubectl.ok(['wait', '-n', 'reached', '--for=delete', 'pod/blue-0', '--timeout=30s']);
    await expect(api.send(asking('/readyz'))).rejects.toMatchObject({ code: 503 });
    await kubernetes.kubectl.ok(['delete', '-n', 'reached', 'pvc/data-blue-0', '--wait=false']);
    await kubernetes.kubectl.ok(['scale', '-n', 'reached', 'statefulset/blue', '--replicas=1']);
    await kubernetes.kubectl.ok(['rollout', 'status', '-n', 'reached', 'statefulset/blue', '--timeout=60s']);
    expect((await api.send(asking('/readyz'))).status).toBe(200);
    expect((await whoAmI(api, masters)).username).toBe('root');
  });

  it('a host that accepts connections and does not respond times out', async () => {
    const { kubeconfig } = readKubeconfig(readFileSync(kubernetes.kubeconfig, 'utf8'));
    if (kubeconfig === undefined) throw new Error('no kubeconfig');
    const options = { clock: systemClock, connectTimeout: 500, answerTimeout: 500 };
    const hasty = connectToHost(kubeconfig, options);
    await textOf(await hasty.own.send(asking('/readyz')));
    kubernetes.freeze();
    try {
      await expect(hasty.own.send(asking('/readyz'))).rejects.toMatchObject({ code: 503, why: 'TooSlow' });
    } finally {
      kubernetes.thaw();
      await hasty.close();
    }
  });
});

async function until(socket: Duplex, words: string): Promise<string> {
  let text = '';
  while (!text.includes(words)) text += String(((await once(socket, 'data')) as [Buffer])[0]);
  socket.destroy();
  return text;
}
