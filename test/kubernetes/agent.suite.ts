import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'undici';
import { expect, it } from 'vitest';
import type { AgentOnKubernetes } from './harness/agent-on-kubernetes.ts';

/**
 * Tests users of a cluster that the server reaches through an agent, with kubeconfigs that the server issues. `env` is
 * called in each test. Afterwards the agent runs again.
 */
export function usersBehindAgent(env: () => AgentOnKubernetes): void {
  /**
   * Prints `bytes` bytes in a pod and returns the number of received bytes. The command in the pod ends only after all
   * bytes have arrived. Otherwise Kubernetes itself may lose bytes in transit: kubectl's ping can reach an API server
   * that has already closed the connection.
   */
  async function printed(bytes: number): Promise<string> {
    const command = `head -c ${bytes} /dev/zero | tr "\\0" x; read line`;
    return await env().inside.ok(['exec', '-i', 'web', '--', 'sh', '-c', command], { input: '\n', inputAfter: bytes });
  }

  it('reach the cluster through the server', async () => {
    const { flotilla, cluster } = env();
    const nodes = await flotilla.ask(`/kubernetes/cluster/${cluster}/api/v1/nodes`);
    expect(nodes.code, nodes.text).toBe(200);
  });

  it('use a virtual cluster: get, watch, exec, logs -f, attach, port-forward', async () => {
    const { inside, agent } = env();
    expect(await inside.ok(['get', 'pods', '-o', 'name'])).toBe('pod/web\n');
    const watch = inside.follow(['get', 'configmaps', '--watch', '-o', 'name']);
    await watch.waitForOutput(/kube-root-ca/);
    await inside.ok(['create', 'configmap', 'seen']);
    await watch.waitForOutput(/configmap\/seen/);
    await watch.stop();
    expect(await inside.ok(['exec', '-i', 'web', '--', 'cat'], { input: 'to and fro' })).toBe('to and fro');
    const log = inside.follow(['logs', '-f', 'web']);
    await inside.ok(['attach', '-i', 'web'], { input: 'said by somebody\n' }).catch(() => {});
    await log.waitForOutput(/said by somebody/);
    await log.stop();
    const forward = inside.follow(['port-forward', 'pod/web', `:${new URL(agent.url).port}`]);
    const shown = await forward.waitForOutput(/Forwarding from 127\.0\.0\.1:(\d+)/);
    const port = /127\.0\.0\.1:(\d+)/.exec(shown)?.[1];
    const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
    const { statusCode, body } = await request(`https://127.0.0.1:${port}/livez`, { dispatcher });
    expect([statusCode, await body.text()]).toEqual([200, 'ok']);
    await dispatcher.close();
    await forward.stop();
  });

  it('stream 100 MB down and 100 MB up', async () => {
    const before = process.memoryUsage().rss;
    expect((await printed(100_000_000)).length).toBe(100_000_000);
    const sent = 'y'.repeat(100_000_000);
    const sum = await env().inside.ok(['exec', '-i', 'web', '--', 'sha256sum'], { input: sent });
    expect(sum).toContain(createHash('sha256').update(sent).digest('hex'));
    // The test itself keeps three copies in memory. No proxy on the way may buffer another copy.
    expect(process.memoryUsage().rss - before).toBeLessThan(900_000_000);
  });

  it('lose a stream at once when the agent restarts, and the next stream is complete', async () => {
    const { inside } = env();
    const endless = inside.follow(['exec', 'web', '--', 'sh', '-c', 'while :; do echo some; done']);
    await endless.waitForOutput(/some/);
    const ended = once(endless.child, 'exit');
    await env().stopAgent();
    await ended;
    await env().startAgent();
    await env().waitUntilReachable();
    expect((await printed(20_000_000)).length).toBe(20_000_000);
  });
}
