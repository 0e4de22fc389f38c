import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type JsonObject, listAt, textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readJoinToken } from '../../api/agent/join-token.ts';
import { generateAgentKeyPair } from '../../auth/agent/agent-key.ts';
import { joinTokenDigest, signAgentProof } from '../../auth/agent/agent-proof.ts';
import { groupPath, ServerTestEnv } from '../../server/server.fixture.ts';
import type { RunningServer } from '../../server/start-server.ts';
import { OlderAgent } from './older-agent.fixture.ts';

const serverVersion = '0.7.1';

const clusterPath = `${groupPath}/clusters/edge`;
const namespacesPath = '/kubernetes/cluster/edge/api/v1/namespaces';
const credential = 'the-credential-of-the-older-agent';

let bench: ServerTestEnv;
let server: RunningServer;
/** The API of the cluster of the agent. */
let api: Server;
/** The requests that reached the cluster's API, except those of the server's controllers. */
let requests: IncomingMessage[];
let agents: OlderAgent[];

beforeEach(async () => {
  requests = [];
  agents = [];
  api = createServer(respond).listen(0, '127.0.0.1');
  bench = await ServerTestEnv.open();
  bench.serverVersion = serverVersion;
  server = await bench.start();
  await bench.createObject(server, 'clusters', 'edge', { networkPeer: true });
});
afterEach(async () => {
  for (const agent of agents) agent.close();
  await bench.close();
  api.close();
  api.closeAllConnections();
});

const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web', resourceVersion: '1' } };

function respond(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://api');
  response.setHeader('content-type', 'application/json');
  if (pathname !== namespacesPath) {
    response.writeHead(pathname.endsWith('/version') ? 200 : 404).end('{"gitVersion":"v1.33.0"}');
    return;
  }
  requests.push(request);
  if (searchParams.get('watch') === 'true') {
    // The watch stays open.
    response.write(`${JSON.stringify({ type: 'ADDED', object: namespace })}\n`);
    return;
  }
  const list = { apiVersion: 'v1', kind: 'NamespaceList', metadata: { resourceVersion: '1' }, items: [namespace] };
  response.end(JSON.stringify(list));
}

/** Joins with a token. Returns an agent of this version that signs its requests with its key. */
async function join(version: string): Promise<OlderAgent> {
  const made = await bench.send(server, `${clusterPath}/jointoken`, { method: 'POST', body: {} });
  const token = readJoinToken(textAt(made.json, 'status', 'token'));
  if (token === undefined) throw new Error('the server returned no join token');
  const { installation, cluster, secret } = token;
  const keyPair = generateAgentKeyPair();
  const options = {
    server: server.url,
    authority: await bench.read('ca.crt'),
    cluster,
    version,
    apiPort: (api.address() as AddressInfo).port,
  };
  const joining = new OlderAgent({ ...options, authorization: () => `Bearer ${secret}` });
  const joinToken = joinTokenDigest(secret);
  const proof = signAgentProof(keyPair, { installation, cluster, joinToken }, Date.now());
  const joined = await joining.send('POST', 'join', { publicKey: keyPair.publicKey.pem, proof });
  expect(joined.code, joined.text).toBe(200);
  const authorization = () => `Bearer ${signAgentProof(keyPair, { installation, cluster }, Date.now())}`;
  const agent = new OlderAgent({ ...options, authorization });
  agents.push(agent);
  return agent;
}

const shownAgent = async () =>
  (listAt((await bench.send(server, clusterPath)).json, 'status', 'agents')[0] ?? {}) as JsonObject;

describe('an agent of the previous minor version', () => {
  it('joins, and serves requests and watches in its tunnels', async () => {
    const agent = await join('0.6.3');
    await agent.openFeed();
    expect(await Promise.all([agent.openTunnel(), agent.openTunnel()])).toEqual([undefined, undefined]);
    const announced = await agent.announce(credential);
    expect(announced).toEqual({ code: 200, text: '{}' });

    const list = await bench.send(server, namespacesPath);
    expect(list.code, list.text).toBe(200);
    expect(listAt(list.json, 'items').map((item) => textAt(item, 'metadata', 'name'))).toEqual(['web']);
    expect(requests.at(-1)?.headers.authorization).toBe(`Bearer ${credential}`);

    const watch = await bench.request(server, `${namespacesPath}?watch=true`, {});
    expect(watch.statusCode).toBe(200);
    const events = watch.body[Symbol.asyncIterator]();
    expect(JSON.parse(String((await events.next()).value))).toMatchObject({ type: 'ADDED', object: namespace });
    const ended = new Promise((resolve) =>
      requests
        .at(-1)
        ?.on('error', () => {})
        .once('close', resolve),
    );
    watch.body.on('error', () => {}).destroy();
    await ended;

    await expect
      .poll(shownAgent, { timeout: 20_000 })
      .toMatchObject({ connected: true, version: '0.6.3', upgradeAvailable: serverVersion });
    expect(await shownAgent()).not.toHaveProperty('release');
    expect(await shownAgent()).not.toHaveProperty('clusterUID');
  });
});

describe('an agent of the minor version before that', () => {
  it('is refused with a message that names both versions, for tunnels and for announcements', async () => {
    const agent = await join('0.5.9');
    const message = `the agent has version 0.5.9, but this server of version ${serverVersion} accepts only agents of version 0.6 or newer; upgrade the agent`;
    for (const refused of [await agent.openTunnel(), await agent.announce(credential)]) {
      expect(refused).toEqual({ code: 400, text: expect.stringContaining(message) });
    }
    expect(requests).toEqual([]);
  });
});
