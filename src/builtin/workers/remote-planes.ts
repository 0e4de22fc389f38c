import type { MessagePort } from 'node:worker_threads';
import { tokenReviewKind } from '../../api/core/token-request.ts';
import { StatusError, serviceUnavailable } from '../../api/status.ts';
import type { Attributes, Decision } from '../../auth/authz/attributes.ts';
import type { Identity } from '../../auth/identity.ts';
import type { TokenKeys } from '../../controlplane/core/accounts/account-tokens.ts';
import type { MaintenanceTask } from '../../controlplane/maintenance/maintenance-task.ts';
import type { PlaneTarget } from '../../gateway/gateway-target.ts';
import { auditAnnotationsOf, type Exchange } from '../../http/exchange.ts';
import type { HealthCheck } from '../../http/plane.ts';
import type { Reply } from '../../http/reply.ts';
import { callerOf } from '../../http/session/caller.ts';
import { ownTokenDigest } from '../../http/session/own-token.ts';
import { readBody } from '../../http/wire/read-body.ts';
import { feedIterator } from '../../lib/feed.ts';
import { LinkClosedError, MessageLink } from '../../lib/link/message-link.ts';
import { withTransfer } from '../../lib/link/transferred-buffers.ts';
import type { Log } from '../../lib/log.ts';
import { WakeScheduler } from '../../lib/queue/wake-scheduler.ts';
import type { MaintenanceWork } from '../../registry/write/maintenance-work.ts';
import type { RevisionCheck } from '../../store/store.ts';
import type { PlaneUsage } from '../plane-usage.ts';
import type { KnownResources } from './known-resources.ts';
import { decodeError, encodeError, planeErrors } from './plane-errors.ts';
import type {
  CallId,
  ForwardedIdentity,
  ForwardedReply,
  PlaneFrontMethods,
  PlaneWorkerMethods,
  RequestDetails,
  StreamPart,
} from './plane-messages.ts';
import { RemoteStream } from './remote-stream.ts';

export interface RemotePlanesOptions {
  readonly port: MessagePort;
  readonly resources: KnownResources;
  /** The names of the credentials that workers have authenticated, by the signal of the identity. */
  readonly credentials: WeakMap<AbortSignal, string>;
  readonly tokens: TokenKeys;
  readonly healthChecks: readonly HealthCheck[];
  readonly bodyBytes: number;
  readonly log: Log;
  onMaintenance(work: MaintenanceWork): void;
}

/** A request or an authorization that the worker executes for a caller. */
interface ActiveCall {
  readonly identity: Identity;
  readonly exchange?: Exchange;
  stream?: RemoteStream;
  /**
   * The error with which the stream ends early if the worker ends. Absent for a watch, which ends without an error and
   * is resumed by its client.
   */
  truncation?: StatusError;
  /** Releases the resources that the main thread holds for the call. */
  finish(): void;
}

/**
 * The maximum number of streams whose readers are woken per tick of the event loop. Waking this many readers takes one
 * to two milliseconds, because each reader writes to its socket.
 */
const readersPerTick = 32;

const decidedByPlane: Decision = { allowed: true, reason: 'the control plane authorizes the request' };

/** The planes on one worker thread, from the view of the main thread. */
export class RemotePlanes {
  readonly #options: RemotePlanesOptions;
  readonly #link: MessageLink<PlaneFrontMethods, PlaneWorkerMethods>;
  readonly #calls = new Map<CallId, ActiveCall>();
  readonly #wakeups = new WakeScheduler(readersPerTick);
  /**
   * The bodies of requests that the worker has denied. The gateway may send a denied request again; the body then comes
   * from this map.
   */
  readonly #deniedBodies = new WeakMap<Exchange, Uint8Array>();
  #lastCall = 0;
  #loaded = { planes: 0, bytes: 0 };

  constructor(options: RemotePlanesOptions) {
    this.#options = options;
    const { log, tokens } = options;
    this.#link = new MessageLink({
      port: options.port,
      errors: planeErrors,
      methods: {
        readBody: (id) => this.#readBody(id),
        preauthorize: ({ id, attributes }) => this.#preauthorize(id, attributes),
        streamed: (parts) => this.#streamed(parts),
        onMaintenance: (work) => options.onMaintenance(work),
        signToken: (claims) => tokens.sign(claims),
        verifyToken: (token) => tokens.verify(token),
        publicTokenKeys: () => tokens.publicKeys(),
        checkHealth: async (name) => await options.healthChecks.find((check) => check.name === name)?.check(),
        log: ({ level, members, message }) => log[level](members, message),
        loaded: (state) => {
          this.#loaded = state;
        },
      },
      onClose: () => this.#onClose(),
    });
  }

  get loaded(): { readonly planes: number; readonly bytes: number } {
    return this.#loaded;
  }

  /** True if the worker has ended. Its thread may still be stopping. */
  get isClosed(): boolean {
    return this.#link.isClosed;
  }

  /** The API of a plane. The worker loads the plane when it is first used. */
  targetOf(planeId: string): PlaneTarget {
    return {
      plane: this.#options.resources,
      serve: (exchange) => this.#serve(planeId, exchange),
      authorize: (identity, attributes) =>
        // The worker authorizes the request when it serves the request. Only impersonation must be decided earlier.
        attributes.verb === 'impersonate' ? this.#authorize(planeId, identity, attributes) : decidedByPlane,
      authenticate: async (token) => {
        const identity = await this.#answer(this.#link.call('authenticate', { planeId, token }));
        if (identity === undefined) return undefined;
        const { user, responsible, fairQueueKey, system, credential } = identity;
        // This signal never aborts; it only identifies the token in messages to the worker. If the token becomes
        // invalid, the worker ends the requests of the token.
        const { signal } = new AbortController();
        if (credential !== undefined) this.#options.credentials.set(signal, credential);
        return {
          user,
          ...(responsible === undefined ? {} : { responsible }),
          ...(fairQueueKey === undefined ? {} : { fairQueueKey }),
          system,
          signal,
        };
      },
    };
  }

  runTask(planeId: string, task: MaintenanceTask, fence: RevisionCheck | undefined): Promise<number | undefined> {
    return this.#answer(this.#link.call('runTask', { planeId, task, fence }));
  }

  probe(planeId: string): Promise<void> {
    return this.#answer(this.#link.call('probe', planeId));
  }

  evict(planeId: string): Promise<void> {
    return this.#answer(this.#link.call('evict', planeId));
  }

  preferShards(shards: readonly string[]): void {
    this.#link.send('preferShards', shards);
  }

  takeUsage(): Promise<readonly PlaneUsage[]> {
    return this.#answer(this.#link.call('takeUsage', undefined));
  }

  /** Closes the link, because the worker has ended. Requests in progress get 503. */
  close(): void {
    this.#link.close();
  }

  async #authorize(planeId: string, identity: Identity, attributes: Attributes): Promise<Decision> {
    const id = ++this.#lastCall;
    this.#calls.set(id, { identity, finish: () => {} });
    const request = { id, planeId, identity: this.#forwarded(identity), attributes };
    return await this.#answer(this.#link.call('authorize', request)).finally(() => this.#calls.delete(id));
  }

  async #serve(planeId: string, exchange: Exchange): Promise<Reply> {
    const id = ++this.#lastCall;
    const { request, info, project } = exchange;
    const identity = callerOf(exchange);
    let stopFollowing = () => {};
    const call: ActiveCall = {
      identity,
      exchange,
      finish: () => {
        this.#calls.delete(id);
        stopFollowing();
      },
    };
    this.#calls.set(id, call);
    const { method, url, httpVersion, webSocket, remoteAddress } = request;
    const { authorization: _, cookie: __, ...headers } = request.headers;
    const received = this.#deniedBodies.get(exchange) ?? receivedBody(exchange);
    // Copy the body, because a message transfers the whole memory block behind an array. The copy can be transferred to
    // the worker.
    const body = received && new Uint8Array(received);
    let isStreaming = false;
    try {
      const forwarded = withTransfer(
        {
          id,
          planeId,
          project,
          method,
          url,
          headers: { ...headers, 'audit-id': exchange.auditId },
          httpVersion,
          webSocket,
          remoteAddress,
          info,
          identity: this.#forwarded(identity),
          tokenDigest: info.resource === tokenReviewKind.plural ? ownTokenDigest(exchange) : undefined,
          fence: exchange.fence,
          span: exchange.span?.context,
          auditLevel: exchange.auditLevel,
          body,
        },
        body,
      );
      const answer = this.#answer(this.#link.call('serve', forwarded));
      // Register the cancellation only after the request was sent: if the request has already ended, the worker must
      // still receive the request before its cancellation.
      stopFollowing = exchange.end.onEnd((reason) =>
        this.#link.send('cancel', { id, reason: reason instanceof StatusError ? encodeError(reason) : undefined }),
      );
      const { reply, error, details } = await answer;
      this.#applyDetails(exchange, details);
      if (received !== undefined && details.decision?.allowed === false) this.#deniedBodies.set(exchange, received);
      if (reply === undefined) throw error === undefined ? new Error('the worker sent no reply') : decodeError(error);
      isStreaming = reply.stream !== undefined;
      return this.#replyOf(id, call, reply);
    } finally {
      if (!isStreaming) call.finish();
    }
  }

  #replyOf(id: CallId, call: ActiveCall, { status, headers, body, stream }: ForwardedReply): Reply {
    if (stream === undefined) return { status, headers, ...(body === undefined ? {} : { body }) };
    const feed = this.#streamOf(id, call);
    if (stream === 'lines') return { status, headers, body: feed };
    call.truncation = workerEnded();
    return { status, headers, body: { chunks: { [Symbol.asyncIterator]: () => feedIterator(feed) } } };
  }

  #streamOf(id: CallId, call: ActiveCall): RemoteStream {
    call.stream ??= new RemoteStream({
      acknowledge: (bytes) => this.#link.send('acknowledge', { id, bytes }),
      scheduleWake: (wake) => this.#wakeups.add(wake),
      cancel: () => {
        this.#link.send('cancel', { id, reason: undefined });
        call.finish();
      },
    });
    return call.stream;
  }

  #streamed(parts: readonly StreamPart[]): void {
    for (const part of parts) {
      const call = this.#calls.get(part.id);
      if (call === undefined) continue;
      this.#streamOf(part.id, call).add(part);
      if (part.isLast) call.finish();
    }
  }

  #applyDetails(exchange: Exchange, details: RequestDetails): void {
    const { decision, warnings, annotations, createdName, auditedRequest, auditedResponse, newResource } = details;
    exchange.warnings.push(...warnings);
    const scopes = exchange.decision?.scopes;
    if (decision !== undefined) exchange.decision = scopes === undefined ? decision : { ...decision, scopes };
    for (const [key, value] of Object.entries(annotations ?? {})) auditAnnotationsOf(exchange).add(key, value);
    if (createdName !== undefined) exchange.createdName = createdName;
    if (auditedRequest !== undefined) exchange.auditedRequest = { kind: {}, value: () => auditedRequest };
    if (auditedResponse !== undefined) exchange.auditedResponse = { kind: {}, value: () => auditedResponse };
    if (details.spans !== undefined) exchange.span?.adopt(details.spans);
    if (newResource !== undefined) this.#options.resources.add(exchange.info, newResource.subresources);
  }

  async #readBody(id: CallId): Promise<Uint8Array> {
    const exchange = this.#calls.get(id)?.exchange;
    if (exchange === undefined) throw new Error('the request has ended');
    return await readBody(exchange, this.#options.bodyBytes);
  }

  async #preauthorize(id: CallId, attributes: Attributes): Promise<Decision> {
    const call = this.#calls.get(id);
    if (call === undefined || call.exchange?.end.hasEnded === true) throw new Error('the request has ended');
    return (await call.identity.preauthorize?.(attributes)) ?? { allowed: true, reason: '' };
  }

  #forwarded({
    user,
    responsible,
    accessKey,
    fairQueueKey,
    system,
    preauthorize,
    signal,
  }: Identity): ForwardedIdentity {
    const mustPreauthorize = preauthorize !== undefined;
    return {
      user,
      responsible,
      accessKey,
      fairQueueKey,
      system,
      mustPreauthorize,
      credential: this.#options.credentials.get(signal),
    };
  }

  async #answer<T>(result: Promise<T>): Promise<T> {
    try {
      return await result;
    } catch (error) {
      throw error instanceof LinkClosedError ? workerEnded() : error;
    }
  }

  #onClose(): void {
    for (const call of [...this.#calls.values()]) {
      const { truncation } = call;
      call.stream?.add({ chunks: [], isLast: true, ...(truncation && { error: encodeError(truncation) }) });
      call.finish();
    }
  }
}

function workerEnded(): StatusError {
  return serviceUnavailable('the control plane of the virtual cluster is being restarted; try again', 1);
}

/** Returns the body if it has arrived completely. */
function receivedBody({ request }: Exchange): Uint8Array | undefined {
  return request.body.takeBuffered?.(Number(request.headers['content-length'] ?? 0));
}
