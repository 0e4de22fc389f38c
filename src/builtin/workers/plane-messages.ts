import type { JsonObject, JsonValue } from '@flotilla/json';
import type { UserInfo } from '../../api/user-info.ts';
import type { AuditLevel } from '../../audit/audit-policy.ts';
import type { Attributes, Decision } from '../../auth/authz/attributes.ts';
import type { MaintenanceTask } from '../../controlplane/maintenance/maintenance-task.ts';
import type { RequestInfo } from '../../http/request/request-info.ts';
import type { FinishedSpan } from '../../lib/trace/span.ts';
import type { SpanContext } from '../../lib/trace/trace-context.ts';
import type { MaintenanceWork } from '../../registry/write/maintenance-work.ts';
import type { RevisionCheck } from '../../store/store.ts';
import type { PlaneUsage } from '../plane-usage.ts';
import type { EncodedError } from './plane-errors.ts';

/*
 * The messages between the main thread and a worker thread that runs control planes. The main thread authenticates and
 * audits requests and owns the sockets. The worker authorizes a request in its plane and executes it.
 */

/**
 * Identifies a request, or another call whose sender waits for a response, on the link between the main thread and a
 * worker. The main thread assigns the numbers.
 */
export type CallId = number;

/** The caller of a forwarded request. The main thread ends the request if the credential becomes invalid. */
export interface ForwardedIdentity {
  readonly user: UserInfo;
  readonly responsible: string | undefined;
  readonly accessKey: string | undefined;
  readonly fairQueueKey: string | undefined;
  readonly system: boolean;
  /** True if the worker must call `preauthorize` on the main thread before it authorizes a request. */
  readonly mustPreauthorize: boolean;
  /**
   * The name of the signal of the service account token that the worker has authenticated; `undefined` for other
   * callers.
   */
  readonly credential: string | undefined;
}

export interface ForwardedRequest {
  readonly id: CallId;
  readonly planeId: string;
  /** The project of the virtual cluster; `undefined` if the request did not address the project. */
  readonly project: string | undefined;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly httpVersion: '1.1' | '2';
  readonly webSocket: boolean;
  readonly remoteAddress: string;
  /** The path of the request in the plane, as the main thread has parsed it. */
  readonly info: RequestInfo;
  readonly identity: ForwardedIdentity;
  /**
   * A digest of the caller's bearer token (`ownTokenDigest`). Used only by token reviews, which compare the reviewed
   * token with this digest.
   */
  readonly tokenDigest: string | undefined;
  /** The check for all transactions of the request; `undefined` for requests of clients. */
  readonly fence: RevisionCheck | undefined;
  /** The span of the request on the main thread; `undefined` if the request is not traced. */
  readonly span: SpanContext | undefined;
  /** The highest level that the audit event of the request can have; `undefined` if no audit event includes bodies. */
  readonly auditLevel: AuditLevel | undefined;
  /** The body, if it has arrived completely. Otherwise the worker calls `readBody` when it needs the body. */
  readonly body: Uint8Array | undefined;
}

/** The result of a forwarded request. */
export interface ForwardedResult {
  /** The reply; absent if the request failed. */
  readonly reply?: ForwardedReply;
  readonly error?: EncodedError;
  readonly details: RequestDetails;
}

export interface ForwardedReply {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  /** The whole body; absent if it is empty or follows as a stream. */
  readonly body?: string | Uint8Array;
  /** Set if the body follows in `streamed` messages: as separate lines of a watch, or as pieces of a long body. */
  readonly stream?: 'lines' | 'pieces';
}

/** The results of a request that the main thread needs for warnings, the audit log and metrics. */
export interface RequestDetails {
  readonly decision: Decision | undefined;
  readonly warnings: readonly string[];
  readonly annotations: Readonly<Record<string, string>> | undefined;
  readonly createdName: string | undefined;
  /** The bodies without secrets; `undefined` if the audit level of the request does not include them. */
  readonly auditedRequest: JsonValue | undefined;
  readonly auditedResponse: JsonValue | undefined;
  /** The spans of the request on the worker; `undefined` if the request is not traced. */
  readonly spans: readonly FinishedSpan[] | undefined;
  /**
   * The subresources of the addressed resource. Present only when a request first addresses the resource on this
   * worker.
   */
  readonly newResource: { readonly subresources: readonly string[] } | undefined;
}

/** A part of a streamed body. */
export interface StreamPart {
  readonly id: CallId;
  readonly chunks: readonly Uint8Array[];
  /** True if the stream ends after these chunks. */
  readonly isLast: boolean;
  /** The error that truncated the body. Only together with `isLast`. */
  readonly error?: EncodedError;
}

/** The methods that a worker offers to the main thread. */
export interface PlaneWorkerMethods {
  serve(request: ForwardedRequest): Promise<ForwardedResult>;
  /** Ends a request or a stream. `reason` is the last message of a watch. */
  cancel(request: { readonly id: CallId; readonly reason: EncodedError | undefined }): void;
  /**
   * Reports that `bytes` bytes of a stream were received. The worker may then send the same number of further bytes.
   */
  acknowledge(received: { readonly id: CallId; readonly bytes: number }): void;
  authorize(request: {
    readonly id: CallId;
    readonly planeId: string;
    readonly identity: ForwardedIdentity;
    readonly attributes: Attributes;
  }): Promise<Decision>;
  authenticate(request: { readonly planeId: string; readonly token: string }): Promise<ForwardedIdentity | undefined>;
  runTask(request: {
    readonly planeId: string;
    readonly task: MaintenanceTask;
    readonly fence: RevisionCheck | undefined;
  }): Promise<number | undefined>;
  /** Loads a plane. Rejects if it cannot be loaded. */
  probe(planeId: string): Promise<void>;
  /** Closes a plane and waits for its last write. */
  evict(planeId: string): Promise<void>;
  /** Sets the shards whose planes stay in memory (`Fleet.preferShards`). */
  preferShards(shards: readonly string[]): void;
  /** Returns the usage of the planes since the last call. */
  takeUsage(request: undefined): Promise<readonly PlaneUsage[]>;
}

/** The methods that the main thread offers to a worker. */
export interface PlaneFrontMethods {
  readBody(id: CallId): Promise<Uint8Array>;
  preauthorize(request: { readonly id: CallId; readonly attributes: Attributes }): Decision | Promise<Decision>;
  streamed(parts: readonly StreamPart[]): void;
  onMaintenance(work: MaintenanceWork): void;
  signToken(claims: JsonObject): Promise<string>;
  verifyToken(token: string): Promise<JsonObject | undefined>;
  publicTokenKeys(): Promise<JsonObject>;
  /** Runs the health check with this name. */
  checkHealth(name: string): Promise<void>;
  log(entry: { readonly level: LogLevel; readonly members: Record<string, unknown>; readonly message: string }): void;
  /** Reports the planes in memory. Called every second. */
  loaded(state: { readonly planes: number; readonly bytes: number }): void;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
