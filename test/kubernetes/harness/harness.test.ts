import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeIfAvailable } from '../../harness/suite.ts';
import { findKubernetes } from './programs.ts';
import { type Kubernetes, startKubernetes } from './start-kubernetes.ts';

const programs = findKubernetes();

describeIfAvailable(typeof programs === 'string' ? programs : undefined, 'a cluster of real programs', () => {
  let kubernetes: Kubernetes;

  beforeAll(async () => {
    if (typeof programs === 'string') return;
    kubernetes = await startKubernetes({ programs });
  });
  afterAll(() => kubernetes.stop());

  it('runs pods that exec, attach, logs and port-forward reach', async () => {
    const { kubectl } = kubernetes;
    await kubectl.ok(['run', 'web', '--image=web', '--port=80']);
    await kubectl.ok(['wait', '--for=condition=Ready', 'pod/web', '--timeout=30s']);
    expect(await kubectl.ok(['exec', 'web', '--', 'sh', '-c', 'echo "$POD"'])).toBe('default/web\n');
    expect(await kubectl.ok(['exec', '-i', 'web', '--', 'cat'], { input: 'to and fro' })).toBe('to and fro');
    expect((await kubectl.run(['exec', 'web', '--', 'sh', '-c', 'exit 7'])).code).toBe(7);

    const logs = kubectl.follow(['logs', '-f', 'web']);
    await logs.waitForOutput(/has started/);
    await kubectl.ok(['attach', '-i', 'web'], { input: 'said to it\n' });
    await logs.waitForOutput(/said to it/);
    await logs.stop();
    expect(await kubectl.ok(['logs', 'web', '--tail=1'])).toBe('said to it\n');

    const server = createServer((_, response) => response.end('from the pod')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    kubernetes.route({ namespace: 'default', pod: 'web' }, 80, `127.0.0.1:${(server.address() as AddressInfo).port}`);
    const forward = kubectl.follow(['port-forward', 'pod/web', ':80']);
    const [, port] = /127\.0\.0\.1:(\d+)/.exec(await forward.waitForOutput(/127\.0\.0\.1:\d+/)) ?? [];
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('from the pod');
    await forward.stop();
    await once(server.close(), 'close');
  });

  it('shows pods that crash', async () => {
    const { kubectl } = kubernetes;
    await kubectl.ok(['run', 'broken', '--image=web', '--annotations=node.flotilla.test/state=crash-looping']);
    await kubectl.ok([
      'wait',
      'pod/broken',
      '--for=jsonpath={.status.containerStatuses[0].state.waiting.reason}=CrashLoopBackOff',
      '--timeout=30s',
    ]);
    expect(await kubectl.ok(['get', 'pod', 'broken'])).toMatch(/0\/1\s+CrashLoopBackOff\s+5/);
  });

  it('runs the vCluster chart, with its own API behind the pod, which keeps its objects across a sleep', async () => {
    const { kubectl } = kubernetes;
    const place = { namespace: 'team', name: 'blue' };
    const inside = await kubernetes.installByHand(place);
    await inside.kubectl.ok(['create', 'namespace', 'kept']);
    await inside.startNode();
    await inside.kubectl.ok(['run', 'web', '--image=web']);
    await inside.kubectl.ok(['wait', '--for=condition=Ready', 'pod/web', '--timeout=30s']);
    expect(await inside.kubectl.ok(['exec', 'web', '--', 'echo', 'inside'])).toBe('inside\n');

    const forward = kubectl.follow(['port-forward', '-n', 'team', 'pod/blue-0', ':8443']);
    const [, port] = /127\.0\.0\.1:(\d+)/.exec(await forward.waitForOutput(/127\.0\.0\.1:\d+/)) ?? [];
    const through = ['--server', `https://localhost:${port}`];
    expect(await inside.kubectl.ok([...through, 'get', 'ns', 'kept', '-o', 'name'])).toBe('namespace/kept\n');
    await forward.stop();

    await kubectl.ok(['scale', '-n', 'team', 'statefulset/blue', '--replicas=0']);
    await kubectl.ok(['wait', '-n', 'team', '--for=delete', 'pod/blue-0', '--timeout=30s']);
    await kubectl.ok(['scale', '-n', 'team', 'statefulset/blue', '--replicas=1']);
    await kubectl.ok(['rollout', 'status', '-n', 'team', 'statefulset/blue', '--timeout=60s']);
    const again = await kubernetes.standIn(place);
    expect(again.pid).not.toBe(inside.pid);
    expect(await again.kubectl.ok(['get', 'ns', 'kept', '-o', 'name'])).toBe('namespace/kept\n');

    await kubernetes.helm('uninstall', 'blue', '--namespace', 'team');
    await kubectl.ok(['delete', 'namespace', 'team', '--timeout=60s']);
  });
});
