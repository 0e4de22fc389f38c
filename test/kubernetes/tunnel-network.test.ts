import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { textAt } from '@flotilla/json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Kubectl, kubectlMissing, kubectlWith } from '../harness/kubectl.ts';
import { type Edge, openEdge } from '../harness/network/edge.ts';
import { NetworkRoom, networkRoomsMissing } from '../harness/network/network-room.ts';
import { SlowLink, slowLinkMissing } from '../harness/network/slow-link.ts';
import { freePorts } from '../harness/start-program.mjs';
import { describeIfAvailable } from '../harness/suite.ts';
import { findKubernetes } from './harness/programs.ts';
import { type Kubernetes, startKubernetes } from './harness/start-kubernetes.ts';

const run = promisify(execFile);
const programs = findKubernetes();
const programsMissing = typeof programs === 'string' ? programs : undefined;
const missing = programsMissing ?? kubectlMissing ?? networkRoomsMissing ?? slowLinkMissing;

const outside = '198.18.80.1';
const throughSlowLink = ['198.18.81.1', '198.18.81.2'] as const;
const cluster = '/kubernetes/cluster/edge';
const namespace = `${cluster}/api/v1/namespaces/default`;
/** The size of the copied files in megabytes: 1000 in `npm run test:long`. */
const copyMegabytes = Number(process.env.FLOTILLA_TEST_COPY_MEGABYTES ?? 100);

describeIfAvailable(
  missing,
  'a Kubernetes cluster that the server reaches only through the tunnels of its agent',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'tunnel-network-'));
    let room: NetworkRoom;
    let kubernetes: Kubernetes;
    let edge: Edge;
    let agentPort: number;
    /** kubectl for the cluster of the agent, through the server. */
    let kubectl: Kubectl;

    beforeAll(async () => {
      if (typeof programs === 'string') return;
      room = NetworkRoom.open('kube', [outside, '198.18.80.2']);
      kubernetes = await startKubernetes({ programs });
      [agentPort = 0] = await freePorts(1);
      const address = `${room.inside}:8443`;
      edge = await openEdge({
        server: address,
        listen: '0.0.0.0:8443',
        agent: `${outside}:${agentPort}`,
        commandPrefix: room.commandPrefix,
        serverArgs: ['--external-url', `https://${address}`, '--tls-san', room.inside, '--tls-san', throughSlowLink[1]],
        settings: { helm: { program: programs.helm, path: programs.chart } },
        host: ['--kubeconfig', kubernetes.kubeconfig, '--tunnel'],
      });
      room.refuseConnections('out');
      kubectl = edge.kubectlAtServer(cluster);
      await kubectl.ok(['run', 'web', '--image=web', '-n', 'default']);
      await kubectl.ok(['wait', '--for=condition=Ready', 'pod/web', '-n', 'default', '--timeout=60s']);
    });
    afterAll(async () => {
      await edge?.close();
      await kubernetes?.stop();
      room?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const get = async (path = `${namespace}/pods/web`) => {
      const { code } = await edge.requestServer(path, edge.server.adminKey).catch(() => ({ code: 0 }));
      return code;
    };
    const waitUntilServed = () => expect.poll(() => get(), { timeout: 60_000, interval: 200 }).toBe(200);

    /** Sends get requests one after another until `done` settles. Returns the milliseconds of each request. */
    async function getsWhile(done: Promise<unknown>): Promise<number[]> {
      const times: number[] = [];
      let isDone = false;
      const end = () => {
        isDone = true;
      };
      void done.then(end, end);
      while (!isDone || times.length < 20) {
        const begun = performance.now();
        expect(await get()).toBe(200);
        times.push(performance.now() - begun);
      }
      return times.sort((one, other) => one - other);
    }

    it('accepts no connections from the network of the server, although the agent listens', async () => {
      const probe = ['curl', '--silent', '--insecure', '--max-time', '2', `https://${outside}:${agentPort}/livez`];
      expect((await run('curl', probe.slice(1))).stdout).toBe('ok');
      // Exit code 28 of curl: timeout.
      expect(() => room.run(...probe)).toThrow();
      const [command = '', ...flags] = [...room.commandPrefix, ...probe];
      await expect(run(command, flags)).rejects.toMatchObject({ code: 28 });
      expect(await get()).toBe(200);
    });

    it('runs a virtual cluster: create, Ready, exec, delete', async () => {
      const spec = { clusterRef: { cluster: 'edge' }, template: {} };
      const metadata = { name: 'vc', namespace: 'platform-p-default' };
      const instance = { apiVersion: 'management.platform.sh/v1', kind: 'VirtualClusterInstance', metadata, spec };
      const made = await edge.admin.ok(['create', '-f', '-', '-o', 'json'], { input: JSON.stringify(instance) });
      const where = ['-n', 'platform-p-default'];
      await edge.admin.ok(['wait', 'vci/vc', ...where, '--for=condition=Ready', '--timeout=100s']);
      const ref = (member: string) => textAt(JSON.parse(made), 'spec', 'clusterRef', member);
      await (await kubernetes.standIn({ namespace: ref('namespace'), name: ref('virtualCluster') })).startNode();
      const inside = kubectlWith(await edge.kubeconfigOf('vc'));
      await inside.ok(['run', 'web', '--image=web']);
      await inside.ok(['wait', '--for=condition=Ready', 'pod/web', '--timeout=60s']);
      expect(await inside.ok(['exec', '-i', 'web', '--', 'cat'], { input: 'to and fro' })).toBe('to and fro');
      await edge.admin.ok(['delete', 'vci/vc', ...where, '--timeout=60s']);
    });

    it('has files copied both ways by kubectl cp, while other requests are served', async () => {
      const [local, inPod, back] = ['local', 'in-pod', 'back'].map((name) => join(folder, name)) as [
        string,
        string,
        string,
      ];
      await run('dd', ['if=/dev/urandom', `of=${local}`, 'bs=1M', `count=${copyMegabytes}`]);
      const seconds = async (from: string, to: string) => {
        const begun = performance.now();
        const times = await getsWhile(kubectl.ok(['cp', '--retries=0', from, to, '-n', 'default']));
        const took = (performance.now() - begun) / 1000;
        console.log(
          `kubectl cp: ${copyMegabytes} MB in ${took.toFixed(1)} s; gets meanwhile: p50 ${percentile(times, 0.5)} ms, p99 ${percentile(times, 0.99)} ms`,
        );
        expect(percentile(times, 0.5)).toBeLessThan(500);
      };
      await seconds(local, `web:${inPod}`);
      expect(await digestOf(inPod)).toBe(await digestOf(local));
      await seconds(`web:${inPod}`, back);
      expect(await digestOf(back)).toBe(await digestOf(local));
    }, 600_000);

    it('serves a thousand watches, which all receive a change', async () => {
      const session = connect(edge.server.url.replace('0.0.0.0', room.inside), { rejectUnauthorized: false });
      try {
        const watches: ClientHttp2Stream[] = [];
        // The server lets a limited number of requests wait for a cluster, so the watches are opened in groups.
        for (let group = 0; group < 10; group++) {
          const opened = Array.from({ length: 100 }, () => watch(session));
          watches.push(...opened);
          await Promise.all(opened.map((stream) => lineWith(stream, 'kube-root-ca')));
        }
        const seen = Promise.all(watches.map((stream) => lineWith(stream, '"name":"seen-by-all"')));
        await kubectl.ok(['create', 'configmap', 'seen-by-all', '-n', 'default']);
        await seen;
        expect(await get()).toBe(200);
      } finally {
        session.destroy();
      }
    });

    it('does not delay requests while clients of many streams have stopped reading', async () => {
      const quiet = await getsWhile(Promise.resolve());
      const sockets = await Promise.all(Array.from({ length: 20 }, openEndless));
      try {
        const times = await getsWhile(Promise.resolve());
        // If a stream blocked the tunnel, requests would wait until they time out.
        expect(percentile(times, 0.5)).toBeLessThan(5 * percentile(quiet, 0.5) + 20);
      } finally {
        for (const socket of sockets) socket.terminate();
      }
    });

    it('forwards a port and serves requests with a packet loss of 2 % and a round trip of 100 ms', async () => {
      const link = await SlowLink.open(room, { addresses: throughSlowLink, delayMilliseconds: 50, lossPercent: 2 });
      const page = createServer((incoming, response) => void pipeline(incoming, response).catch(() => {}));
      try {
        await edge.agent.stop();
        await edge.startAgent('--management', `https://${throughSlowLink[1]}:8443`);
        await waitUntilServed();
        const [quickest = 0] = await getsWhile(Promise.resolve());
        // The latency proves that the requests went over the slow link.
        expect(quickest).toBeGreaterThan(95);
        page.listen(0, '127.0.0.1');
        await once(page, 'listening');
        const { port: there } = page.address() as AddressInfo;
        const forward = kubectl.follow(['port-forward', 'pod/web', `:${there}`, '-n', 'default']);
        const [, port] = /127\.0\.0\.1:(\d+)/.exec(await forward.waitForOutput(/127\.0\.0\.1:\d+/)) ?? [];
        const body = randomBytes(500_000);
        const begun = performance.now();
        const echo = fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body }).then((all) => all.arrayBuffer());
        const times = await getsWhile(echo);
        const took = (performance.now() - begun) / 1000;
        console.log(
          `port-forward of 0.5 MB and back: ${took.toFixed(1)} s; gets meanwhile: p50 ${percentile(times, 0.5)} ms, p99 ${percentile(times, 0.99)} ms`,
        );
        expect(Buffer.from(await echo).equals(body)).toBe(true);
        await forward.stop();
      } finally {
        page.close();
        await edge.agent.stop();
        await link.close();
        await edge.startAgent();
        await waitUntilServed();
      }
    }, 300_000);

    it('ends streams when the server or the agent is killed, and serves again when it is back', async () => {
      const endless = () => kubectl.follow(['exec', 'web', '-n', 'default', '--', 'sh', '-c', 'echo up; sleep 600']);
      for (const [stop, start] of [
        [() => edge.server.stop('SIGKILL'), () => edge.startServer()],
        [() => edge.agent.stop('SIGKILL'), () => edge.startAgent()],
      ] as const) {
        const stream = endless();
        await stream.waitForOutput(/up/);
        const ended = once(stream.child, 'exit');
        await stop();
        await ended;
        await start();
        await waitUntilServed();
        expect(await kubectl.ok(['exec', 'web', '-n', 'default', '--', 'echo', 'again'])).toBe('again\n');
      }
    });

    function watch(session: ClientHttp2Session): ClientHttp2Stream {
      const path = `${namespace}/configmaps?watch=true`;
      return session.request({ authorization: `Bearer ${edge.server.adminKey}`, ':path': path });
    }

    /** Opens a command with endless output. The client stops reading after the first message. */
    async function openEndless(): Promise<WebSocket> {
      const url = `wss://${room.inside}:8443${namespace}/pods/web/exec?command=cat&command=/dev/zero&stdout=true`;
      const headers = { authorization: `Bearer ${edge.server.adminKey}` };
      const socket = new WebSocket(url, 'v5.channel.k8s.io', { headers, rejectUnauthorized: false });
      await once(socket, 'message');
      socket.pause();
      return socket;
    }
  },
);

/** Waits until a line of the stream contains the text. The line may arrive in several frames. */
function lineWith(stream: ClientHttp2Stream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let line = '';
    const onClose = () => reject(new Error(`the watch ended before ${text}`));
    const onData = (chunk: Buffer) => {
      line += chunk;
      if (line.includes(text)) {
        stream.off('data', onData);
        stream.off('close', onClose);
        resolve();
        return;
      }
      line = line.slice(line.lastIndexOf('\n') + 1);
    };
    stream.on('data', onData);
    stream.once('error', reject);
    stream.once('close', onClose);
  });
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

function percentile(sorted: readonly number[], share: number): number {
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN);
}
