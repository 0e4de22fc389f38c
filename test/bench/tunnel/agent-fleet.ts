// Runs the agents of many clusters in one process. Each agent has the listener, the policy feed and the tunnels of a
// real agent. In place of the agent's cluster, an API without objects sends as many bytes as the request path asks for.
// start-agent-fleet.mjs starts this program.

import { setMaxListeners } from 'node:events';
import { startAddressAnnouncer } from '../../../src/agent/address-announcer.ts';
import { accessKeyCredential } from '../../../src/agent/agent-credential.ts';
import { openControlServer } from '../../../src/agent/control-server.ts';
import { keepTunnels } from '../../../src/agent/tunnel/keep-tunnels.ts';
import type { IncomingRequest } from '../../../src/http/exchange.ts';
import type { Reply } from '../../../src/http/reply.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { wait } from '../../../src/lib/wait.ts';
import { createCertificateAuthority, createServingCertificate } from '../../../src/process/make-certificate.ts';
import { startListener } from '../../../src/process/start-listener.ts';

/** The settings, sent once by the parent process. */
interface FleetSettings {
  readonly management: string;
  readonly authority: string;
  readonly agents: readonly { readonly cluster: string; readonly accessKey: string }[];
}

const dayMilliseconds = 24 * 60 * 60_000;
const chunk = Buffer.alloc(64 * 1024, 'x');
const retryMilliseconds = 2_000;
const never = new AbortController().signal;
const tunnelsPerAgent = 2;

// Each agent adds listeners to this signal. 0 turns off Node's warning about many listeners.
setMaxListeners(0, never);

process.once('message', (settings: FleetSettings) => void run(settings));
process.once('disconnect', () => process.exit());

async function run({ management, authority, agents }: FleetSettings): Promise<void> {
  const now = systemClock.now();
  const ca = await createCertificateAuthority(now, dayMilliseconds);
  const tls = await createServingCertificate(ca, ['127.0.0.1'], now, dayMilliseconds);
  const listener = await startListener({ host: '127.0.0.1', port: 0, tls, handler: respond, log: silentLog });
  let opened = 0;
  for (const { cluster, accessKey } of agents) {
    const server = openControlServer({
      url: management,
      authority,
      apiPrefix: 'kubernetes',
      cluster,
      credential: async () => accessKeyCredential(accessKey),
      clock: systemClock,
    });
    const announcement = { url: '', authority: '', credential: cluster, isTunneled: true, host: 'kubernetes' } as const;
    void follow(server);
    const accept = listener.accept;
    const onOpened = () => {
      opened++;
      process.send?.({ opened });
    };
    const isServerReachable = () => true;
    void keepTunnels({ server, isServerReachable, accept, onOpened, clock: systemClock, log: silentLog }, never);
    const announcer = startAddressAnnouncer(
      { server, announcement: { ...announcement, version: '0.1.0' }, clock: systemClock, log: silentLog },
      never,
    );
    announcer.onConnected();
  }
  process.send?.({ url: `https://127.0.0.1:${listener.port}`, ca: ca.cert, tunnels: agents.length * tunnelsPerAgent });
}

/** Reads the policy feed, as an agent does. */
async function follow(server: ReturnType<typeof openControlServer>): Promise<void> {
  for (;;) {
    try {
      for await (const _ of server.streamPolicy(never));
    } catch {
      // The server may refuse a policy request because all agents connect at the same time. The loop retries.
    }
    await wait(systemClock, retryMilliseconds, never);
  }
}

async function respond(request: IncomingRequest): Promise<Reply> {
  const { pathname, searchParams } = new URL(request.url, 'https://agent');
  const [root = '', cluster = 'connected'] = /^\/kubernetes\/cluster\/([^/]+)/.exec(pathname) ?? [];
  const path = pathname.slice(root.length);
  const bytes = /^\/bytes\/(\d+)$/.exec(path)?.[1];
  if (bytes !== undefined) return bytesOf(Number(bytes));
  if (request.method !== 'GET') {
    for await (const _ of request.body);
    return json(201, { status: { allowed: true } });
  }
  if (searchParams.get('watch') === 'true') return idleWatch(request);
  if (path === '/version') return json(200, { gitVersion: 'v1.36.3' });
  if (path === '/readyz') return { status: 200, headers: { 'content-type': 'text/plain' }, body: 'ok' };
  // The uid of this namespace identifies a cluster.
  if (path === '/api/v1/namespaces/kube-system') return json(200, { metadata: { uid: cluster } });
  return json(200, { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] });
}

function json(status: number, body: object): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function bytesOf(length: number): Reply {
  async function* upstream() {
    for (let left = length; left > 0; left -= chunk.length) yield left < chunk.length ? chunk.subarray(0, left) : chunk;
  }
  const headers = { 'content-type': 'application/octet-stream', 'content-length': String(length) };
  return { status: 200, headers, body: { upstream: upstream(), isLongRunning: false } };
}

/** A watch without events. It stays open until its request ends. */
function idleWatch({ signal }: IncomingRequest): Reply {
  async function* upstream(): AsyncGenerator<Uint8Array> {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  }
  const headers = { 'content-type': 'application/json' };
  return { status: 200, headers, body: { upstream: upstream(), isLongRunning: true } };
}
