import {
  type AgentActivity,
  type AgentAnnouncement,
  type AgentAuditBatch,
  type AgentAuditReceipt,
  agentPaths,
  type KnownKey,
  type PolicyLine,
} from '../api/agent/policy-feed.ts';
import { StatusError, serviceUnavailable } from '../api/status.ts';
import { connectToHost, type HostConnection } from '../hosts/kubernetes/host-connection.ts';
import type { Clock } from '../lib/clock.ts';
import { textAt } from '../lib/json-path.ts';
import { isJsonObject } from '../lib/json-value.ts';
import { linesOf } from '../lib/lines.ts';
import { readPolicyLine } from './read-policy-line.ts';

/** The central server, as an agent sees it. Rejects with StatusError: 503 where it cannot be reached. */
export interface Centre {
  /** What is true, and what becomes true, until the signal fires or the connection breaks. */
  policy(signal: AbortSignal): AsyncIterable<PolicyLine>;
  announce(told: AgentAnnouncement, signal: AbortSignal): Promise<void>;
  /** undefined: it is nobody's. */
  checkKey(accessKey: string, signal: AbortSignal): Promise<KnownKey | undefined>;
  handOver(batch: AgentAuditBatch, signal: AbortSignal): Promise<AgentAuditReceipt>;
  reportActivity(told: AgentActivity, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface CentreOptions {
  /** `https://host:port`. */
  readonly url: string;
  /** PEM; undefined: it is checked by what the machine trusts. */
  readonly authority: string | undefined;
  readonly apiPrefix: string;
  readonly cluster: string;
  /** Asked for each connection: the key is replaced while the agent runs. */
  accessKey(): Promise<string>;
  readonly clock: Clock;
}

const answerTimeout = 10_000;

/** Talks to the agent's own paths and to nothing else. */
export function openCentre(options: CentreOptions): Centre {
  const { url, authority, apiPrefix, cluster, clock } = options;
  const root = `/${apiPrefix}/agent/${encodeURIComponent(cluster)}`;
  let known: { readonly key: string; readonly connection: HostConnection } | undefined;

  async function connection(): Promise<HostConnection> {
    const key = await options.accessKey();
    if (known?.key === key) return known.connection;
    const before = known?.connection;
    const made = connectToHost(
      { server: url, ...(authority === undefined ? {} : { certificateAuthority: authority }), token: key },
      { clock, answerTimeout },
    );
    known = { key, connection: made };
    await before?.close();
    return made;
  }

  async function ask(method: string, path: string, body: object | undefined, signal: AbortSignal) {
    const { own } = await connection();
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    return await own.send({
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
  }

  async function answered(method: string, path: string, body: object, signal: AbortSignal): Promise<unknown> {
    const answer = await ask(method, path, body, signal);
    const text = await textOf(answer.body);
    if (answer.status !== 200) throw refusal(answer.status, text);
    return JSON.parse(text);
  }

  return {
    async *policy(signal) {
      const answer = await ask('GET', agentPaths.policy, undefined, signal);
      if (answer.status !== 200) throw refusal(answer.status, await textOf(answer.body));
      const { key } = known ?? {};
      for await (const text of linesOf(answer.body, longestLine)) {
        const line = readPolicyLine(text);
        if (line === undefined) continue;
        yield line;
        // The agent was given another key: the older one ends when the new one is used, so it is used soon.
        if (line.type === 'ALIVE' && (await options.accessKey()) !== key) return;
      }
    },
    async announce(told, signal) {
      await answered('PUT', agentPaths.announcement, told, signal);
    },
    async checkKey(accessKey, signal) {
      try {
        return (await answered('POST', agentPaths.keyCheck, { accessKey }, signal)) as KnownKey;
      } catch (error) {
        if (error instanceof StatusError && error.code === 404) return undefined;
        throw error;
      }
    },
    handOver: async (batch, signal) =>
      (await answered('POST', agentPaths.audit, batch, signal)) as unknown as AgentAuditReceipt,
    async reportActivity(told, signal) {
      await answered('POST', agentPaths.activity, told, signal);
    },
    async close() {
      await known?.connection.close();
    },
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const longestAnswer = 1024 * 1024;
const longestLine = 16 * 1024 * 1024;

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > longestAnswer) throw serviceUnavailable("the centre's answer is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function refusal(code: number, text: string): StatusError {
  let told = '';
  try {
    const status: unknown = JSON.parse(text);
    if (isJsonObject(status)) told = textAt(status, 'message');
  } catch {
    // Not from the centre itself, but from something in between: its words say nothing.
  }
  const message = `the centre answered ${code}${told === '' ? '' : `: ${told}`}`;
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code });
}
