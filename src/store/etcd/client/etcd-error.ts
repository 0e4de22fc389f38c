import { StoreError } from '../../store-error.ts';

/** The gRPC status codes that the client distinguishes. */
export const grpcStatus = {
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  permissionDenied: 7,
  resourceExhausted: 8,
  outOfRange: 11,
  internal: 13,
  unavailable: 14,
  dataLoss: 15,
  unauthenticated: 16,
} as const;

/** A call of etcd that failed. */
export class EtcdError extends Error {
  readonly status: number;
  readonly details: string;

  constructor(status: number, details: string, options?: ErrorOptions) {
    super(`etcd: ${details}`, options);
    this.name = 'EtcdError';
    this.status = status;
    this.details = details;
  }

  /**
   * True if a retry may succeed at another member, or later at the same member: the member cannot be reached, has no
   * leader, or is slow.
   */
  get isTransient(): boolean {
    if (transient.has(this.status) || this.details.includes('not supported for learner')) return true;
    return this.status === grpcStatus.resourceExhausted && !this.#isFinal;
  }

  /** True if a write was certainly not applied and never will be. */
  get isWithoutEffect(): boolean {
    if (this.status === grpcStatus.unavailable) {
      return this.details.startsWith(notConnected) || this.details === 'etcdserver: no leader';
    }
    return !transient.has(this.status);
  }

  /** True if no TLS connection was established because one side does not accept the certificate of the other side. */
  get isUntrusted(): boolean {
    return this.details.startsWith(notConnected) && /certificate|altnames|\bssl\b|\btls/i.test(this.details);
  }

  /** The failure and advice on what to check, for the user who opens a store. */
  get explanation(): string {
    const reason = this.#reason;
    if (this.isUntrusted)
      return `no TLS connection: ${reason}; check that etcd serves TLS, and check its CA and the client certificate`;
    if (/authentication|user name|permission denied|auth token/.test(reason)) {
      return `etcd rejects the credentials: ${reason}; check the user name, the password and the role of the user`;
    }
    return `${reason}; check that etcd runs at these addresses`;
  }

  /** True if the requested revision was compacted. */
  get isCompacted(): boolean {
    return this.details.includes('required revision has been compacted');
  }

  /** True if the quota of the database is exhausted. */
  get isNoSpace(): boolean {
    return this.details.includes('database space exceeded');
  }

  /** True if the request has too many bytes or operations. */
  get isTooLarge(): boolean {
    return /request is too large|too many operations|larger than max/.test(this.details);
  }

  /** True if the token of the user is no longer valid. A new login returns a new token. */
  get isInvalidToken(): boolean {
    return this.status === grpcStatus.unauthenticated || this.details.includes('revision of auth store is old');
  }

  /** The details without the wording of the gRPC library. */
  get #reason(): string {
    const [, last = this.details] =
      /^No connection established\. Last error: (.*?)\. Resolution note: /s.exec(this.details) ?? [];
    return last
      .replace(/^Error( \[\w+\])?: /, '')
      .replace(/ \(\d{4}-\d\d-\d\dT[^)]*\)$/, '')
      .trim();
  }

  get #isFinal(): boolean {
    return this.isNoSpace || this.isTooLarge;
  }
}

/** The status codes after which the outcome of a write is unknown, unless the details show the outcome. */
const transient: ReadonlySet<number> = new Set([
  grpcStatus.cancelled,
  grpcStatus.unknown,
  grpcStatus.deadlineExceeded,
  grpcStatus.internal,
  grpcStatus.unavailable,
  grpcStatus.dataLoss,
]);

/** The beginning of the details if no connection could be established. Nothing was sent then. */
const notConnected = 'No connection established';

const noSpaceHelp =
  'etcd accepts no writes because its database quota is exhausted (alarm NOSPACE); compact and defragment etcd or raise ' +
  '--quota-backend-bytes, and then run "etcdctl alarm disarm"';

/** Converts an EtcdError to a StoreError. Returns other errors unchanged. */
export function toStoreError(error: unknown): unknown {
  if (!(error instanceof EtcdError)) return error;
  const options = { cause: error };
  if (error.isNoSpace) return new StoreError('OutOfSpace', noSpaceHelp, undefined, options);
  if (error.isTooLarge) {
    const message = `etcd rejects the transaction: ${error.details} (see its flags --max-request-bytes and --max-txn-ops)`;
    return new StoreError('TooLarge', message, undefined, options);
  }
  if (error.isCompacted) {
    const message = 'etcd has compacted the revision while it was read; repeat the call';
    return new StoreError('Expired', message, undefined, options);
  }
  return new StoreError('Unavailable', `etcd is not available: ${error.details}`, undefined, options);
}
