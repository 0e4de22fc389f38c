import { createHash, randomBytes } from 'node:crypto';
import { type ClientHttp2Stream, connect } from 'node:http2';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { kubectlMissing, kubectlWith } from '../harness/kubectl.ts';
import { type Edge, namespacesOf, openEdge } from '../harness/network/edge.ts';
import { NetworkRoom, networkRoomsMissing } from '../harness/network/network-room.ts';
import { freePorts } from '../harness/start-program.mjs';
import { describeIfAvailable } from '../harness/suite.ts';

const missing = kubectlMissing ?? networkRoomsMissing;

describeIfAvailable(missing, 'a cluster that the server cannot dial, with an agent that opens tunnels', () => {
  let room: NetworkRoom;
  let edge: Edge;

  beforeAll(async () => {
    room = NetworkRoom.open('tunnel', ['198.18.78.1', '198.18.78.2']);
    const [port] = await freePorts(1);
    // The agent listens only on the loopback address of its own network, so the server cannot connect to it.
    edge = await openEdge({
      server: `${room.inside}:8443`,
      agent: `127.0.0.1:${port}`,
      commandPrefix: room.commandPrefix,
      host: ['--built-in', '--tunnel'],
    });
    await edge.createInstance('vc');
  });
  afterAll(async () => {
    await edge?.close();
    room?.close();
  });

  it('is used through the server, and its kubeconfigs contain the address of the server', async () => {
    const kubectl = kubectlWith(await edge.kubeconfigOf('vc'));
    expect(await kubectl.ok(['config', 'view', '-o', 'jsonpath={.clusters[0].cluster.server}'])).toContain(room.inside);
    await kubectl.ok(['create', 'namespace', 'web']);
    const noise = randomBytes(700_000).toString('base64');
    const large = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'large', namespace: 'web' },
      data: { noise },
    };
    await kubectl.ok(['create', '-f', '-'], { input: JSON.stringify(large) });
    const read = await kubectl.ok(['get', 'configmap', 'large', '-n', 'web', '-o', 'jsonpath={.data.noise}']);
    const digest = (text: string) => createHash('sha256').update(text).digest('hex');
    expect(digest(read)).toBe(digest(noise));
  });

  it('serves a thousand watches, and other requests meanwhile', async () => {
    const session = connect(edge.server.url, { rejectUnauthorized: false });
    const headers = { authorization: `Bearer ${edge.server.adminKey}`, ':path': `${namespacesOf('vc')}?watch=true` };
    // The server lets a limited number of requests wait for a cluster, so the watches are opened in groups.
    for (let group = 0; group < 10; group++) {
      const watches = Array.from({ length: 100 }, () => session.request(headers));
      for (const event of await Promise.all(watches.map(firstLine))) expect(event).toContain('"type":"ADDED"');
    }
    const list = await edge.requestServer(namespacesOf('vc'), edge.server.adminKey);
    expect(list.code, list.text).toBe(200);
    session.destroy();
  });

  it('is reachable again after a network failure that no packet reports', async () => {
    room.disconnect();
    await expect
      .poll(() => edge.agent.output().includes('cannot open a tunnel to the server'), { timeout: 90_000 })
      .toBe(true);
    room.reconnect();
    await waitUntilServed();
  });

  it('is reachable again after the server and the agent were killed', async () => {
    await edge.server.stop('SIGKILL');
    await edge.startServer();
    await waitUntilServed();
    await edge.agent.stop('SIGKILL');
    await edge.startAgent();
    await waitUntilServed();
  });

  /** Returns the first line of a stream, which may arrive in several frames. */
  function firstLine(stream: ClientHttp2Stream): Promise<string> {
    return new Promise((resolve, reject) => {
      let text = '';
      stream.on('data', (chunk) => {
        text += chunk;
        if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
      });
      stream.once('error', reject);
      stream.once('close', () => reject(new Error(`the stream ended after ${JSON.stringify(text)}`)));
    });
  }

  async function waitUntilServed(): Promise<void> {
    const code = async () => {
      const { code } = await edge
        .requestServer(namespacesOf('vc'), edge.server.adminKey)
        .catch((error: unknown) => ({ code: error }));
      return code;
    };
    await expect.poll(code, { timeout: 60_000, interval: 200 }).toBe(200);
  }
});
