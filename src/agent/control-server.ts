import type { Duplex } from 'node:stream';
import { isJsonObject, type JsonValue, textAt } from '@flotilla/json';
import {
  type ActiveAccessKey,
  type AgentActivity,
  type AgentAnnouncement,
  type AgentAnnouncementReceipt,
  type AgentAuditBatch,
  type AgentAuditReceipt,
  type AgentJoinRequest,
  type AgentTunnelQuery,
  agentPaths,
  type PolicyLine,
} from '../api/agent/policy-feed.ts';
import { StatusError, serviceUnavailable } from '../api/status.ts';
import { connectToHost, type HostConnection } from '../hosts/kubernetes/reach/host-connection.ts';
import { onAbort } from '../http/request/request-end.ts';
import type { Clock } from '../lib/clock.ts';
import { readLines } from '../lib/read-lines.ts';
import { webSocketStream } from '../lib/web-socket-stream.ts';
import { tunnelProtocol, tunnelSubprotocol } from '../tunnel/tunnel-protocol.ts';
import type { AgentCredential } from './agent-credential.ts';
import { readPolicyLine } from './policy/read-policy-line.ts';

/** The agent's client for the control server. Its methods reject with StatusError: 503 if the server is unreachable. */
export interface ControlServer {
  /** Streams the full policy and then each change, until the signal fires or the connection breaks. */
  streamPolicy(signal: AbortSignal): AsyncIterable<PolicyLine>;
  /** Registers the agent's key. The request is authenticated with the join token. */
  join(detail: AgentJoinRequest, signal: AbortSignal): Promise<void>;
  announce(detail: AgentAnnouncement, signal: AbortSignal): Promise<AgentAnnouncementReceipt>;
  /** Returns the access key with this value; `undefined` if there is none. */
  checkKey(accessKey: string, signal: AbortSignal): Promise<ActiveAccessKey | undefined>;
  uploadAudit(batch: AgentAuditBatch, signal: AbortSignal): Promise<AgentAuditReceipt>;
  reportActivity(detail: AgentActivity, signal: AbortSignal): Promise<void>;
  /**
   * Opens the connection of a tunnel. The signal aborts only the opening, and has no effect on an open connection. The
   * optional `query` describes the agent.
   */
  openTunnel(carrier: TunnelCarrier, signal: AbortSignal, query?: AgentTunnelQuery): Promise<Duplex>;
  close(): Promise<void>;
}

/** The protocol of a tunnel's connection. A WebSocket is slower, but passes through more proxies and firewalls. */
export type TunnelCarrier = 'upgrade' | 'web-socket';

export interface ControlServerOptions {
  /** The address of the control server, as `https://host:port`. */
  readonly url: string;
  /** The certificate authority of the control server, as PEM; `undefined` to use the machine's trusted authorities. */
  readonly authority: string | undefined;
  /** An HTTP proxy through which to connect, as `http://user:password@host:port`. Absent if there is none. */
  readonly proxyUrl?: string | undefined;
  readonly apiPrefix: string;
  readonly cluster: string;
  /**
   * Returns the credential of the agent. Called before each request, because the credential may change while the agent
   * runs.
   */
  credential(): Promise<AgentCredential>;
  /** Called with the header `date` of each response. Optional. */
  onDate?(date: string | undefined): void;
  readonly clock: Clock;
}

const responseTimeout = 10_000;
/**
 * The time after which an idle connection is closed, in milliseconds. Idle connections should close, because the server
 * keeps memory for each, and an idle agent sends requests only after it has connected. The time is longer than the
 * interval at which an agent in use reports activity, so that these reports share a connection.
 */
const idleTimeout = 15_000;

/** Creates a client for the paths that the control server provides for the agent of this cluster. */
export function openControlServer(options: ControlServerOptions): ControlServer {
  const { apiPrefix, cluster } = options;
  const root = `/${apiPrefix}/agent/${encodeURIComponent(cluster)}`;
  const connection = new ControlServerConnection(options);

  async function send(method: string, path: string, body: object | undefined, signal: AbortSignal) {
    const { own } = await connection.open();
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const response = await own.send({
      method,
      path: `${root}/${path}`,
      headers: {
        accept: 'application/json',
        ...(bytes === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': String(bytes.byteLength) }),
      },
      signal,
      ...(bytes === undefined ? {} : { body: once(bytes) }),
    });
    const { date } = response.headers;
    options.onDate?.(typeof date === 'string' ? date : undefined);
    return response;
  }

  async function requestJson(method: string, path: string, body: object, signal: AbortSignal): Promise<unknown> {
    const response = await send(method, path, body, signal);
    const text = await textOf(response.body);
    if (response.status !== 200) throw errorOf(response.status, text);
    return JSON.parse(text);
  }

  return {
    async *streamPolicy(signal) {
      const response = await send('GET', agentPaths.policy, undefined, signal);
      if (response.status !== 200) throw errorOf(response.status, await textOf(response.body));
      const id = connection.credentialId;
      for await (const text of readLines(response.body, maxLineBytes)) {
        const line = readPolicyLine(text);
        if (line === undefined) continue;
        yield line;
        // Reconnect if the agent has a new access key: the server deletes the old key on the first use of the new one.
        if (line.type === 'ALIVE' && (await options.credential()).id !== id) return;
      }
    },
    async join(detail, signal) {
      await requestJson('POST', agentPaths.join, detail, signal);
    },
    async announce(detail, signal) {
      const credential = textAt(
        (await requestJson('PUT', agentPaths.announcement, detail, signal)) as JsonValue,
        'credential',
      );
      return credential === '' ? {} : { credential };
    },
    async checkKey(accessKey, signal) {
      try {
        return (await requestJson('POST', agentPaths.keyCheck, { accessKey }, signal)) as ActiveAccessKey;
      } catch (error) {
        if (error instanceof StatusError && error.code === 404) return undefined;
        throw error;
      }
    },
    uploadAudit: async (batch, signal) =>
      (await requestJson('POST', agentPaths.audit, batch, signal)) as unknown as AgentAuditReceipt,
    async reportActivity(detail, signal) {
      await requestJson('POST', agentPaths.activity, detail, signal);
    },
    async openTunnel(carrier, signal, query) {
      const path = `${root}/${agentPaths.tunnel}${query === undefined ? '' : `?${new URLSearchParams({ ...query })}`}`;
      return await openTunnelConnection(await connection.open(), { carrier, path, signal });
    },
    async close() {
      await connection.close();
    },
  };
}

/** The connection to the control server. It is replaced when the agent's credential changes. */
class ControlServerConnection {
  readonly #options: ControlServerOptions;
  #known: { readonly id: string; readonly connection: HostConnection } | undefined;

  constructor(options: ControlServerOptions) {
    this.#options = options;
  }

  /** The ID of the credential that the last connection used; `undefined` before the first connection. */
  get credentialId(): string | undefined {
    return this.#known?.id;
  }

  /** Returns a connection with the current credential of the agent. */
  async open(): Promise<HostConnection> {
    const { url, authority, proxyUrl, clock } = this.#options;
    const credential = await this.#options.credential();
    const { id } = credential;
    if (this.#known?.id === id) return this.#known.connection;
    const before = this.#known?.connection;
    const opened = connectToHost(
      {
        server: url,
        ...(authority === undefined ? {} : { certificateAuthority: authority }),
        ...(proxyUrl === undefined ? {} : { proxyUrl }),
      },
      { clock, answerTimeout: responseTimeout, idleTimeout, currentToken: () => credential.token() },
    );
    this.#known = { id, connection: opened };
    await before?.close();
    return opened;
  }

  async close(): Promise<void> {
    await this.#known?.connection.close();
  }
}

/** Opens the connection of a tunnel. The signal aborts only the opening. */
async function openTunnelConnection(
  { own, webSocket }: HostConnection,
  { carrier, path, signal }: { readonly carrier: TunnelCarrier; readonly path: string; readonly signal: AbortSignal },
): Promise<Duplex> {
  if (carrier === 'web-socket') return webSocketStream(await webSocket(path, tunnelSubprotocol, signal));
  // Use a separate signal for the opening, because `signal` would also end the open connection.
  const opening = new AbortController();
  const stop = onAbort(signal, (reason) => opening.abort(reason));
  const response = await own
    .upgrade({ method: 'GET', path, headers: { upgrade: tunnelProtocol }, signal: opening.signal })
    .finally(stop);
  if ('socket' in response) return response.socket;
  throw errorOf(response.status, await textOf(response.body));
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const maxResponseBytes = 1024 * 1024;
const maxLineBytes = 16 * 1024 * 1024;

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxResponseBytes) throw serviceUnavailable('the response of the control server exceeds 1 MiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function errorOf(code: number, text: string): StatusError {
  let detail = '';
  try {
    const status: unknown = JSON.parse(text);
    if (isJsonObject(status)) detail = textAt(status, 'message');
  } catch {
    // A body that is not a Status comes from a proxy on the way. Do not quote it, because it would not help the reader.
  }
  const message = `the server responded with ${code}${detail === '' ? '' : `: ${detail}`}`;
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code });
}
