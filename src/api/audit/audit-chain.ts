/**
 * The last member of every line of an audit log. Its hash depends on all earlier lines, so a line cannot be changed,
 * removed or moved without changing the hashes of all later lines.
 */
export interface ChainLink {
  /** The number of the line in its log. The first line has the number 1. */
  readonly seq: number;
  /**
   * The hash of the previous line; a random value in the first line of a log. Present in lines with a signature, and in
   * the first line of each file, so that a file can be verified after older files were removed.
   */
  readonly previous?: string;
  /** The signature of `seq - 1` and `previous`. */
  readonly signed?: CheckpointSignature;
  /**
   * Present if the server removed an incomplete write before this line. `bytes` is the number of bytes that were
   * removed.
   */
  readonly repaired?: { readonly bytes: number };
  /**
   * Present if, when the server started, lines that it had signed were missing from the log. The value is the newest of
   * these lines.
   */
  readonly lost?: ChainHead;
  readonly hash: string;
}

/** The last line of an audit log. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

export interface CheckpointSignature {
  /** The time of the signature, in RFC 3339 format. */
  readonly time: string;
  /** The ID of the key. */
  readonly key: string;
  /** An Ed25519 signature in base64url. */
  readonly signature: string;
}

/** The state of an audit log at one line, with the server's signature. */
export interface AuditCheckpoint extends ChainHead, CheckpointSignature {}

/** The response of `GET /audit/checkpoints`: the newest checkpoint of each log, and the key that verifies them. */
export interface AuditCheckpointList {
  readonly kind: typeof auditCheckpointListKind;
  readonly apiVersion: string;
  /** The public key in PEM format. */
  readonly publicKey: string;
  readonly items: readonly ReplicaCheckpoint[];
}

export interface ReplicaCheckpoint extends AuditCheckpoint {
  /** The ID of the replica; `only` if the server does not share its store. */
  readonly replica: string;
}

export const auditCheckpointListKind = 'AuditCheckpointList';
/** Path of the newest checkpoints. */
export const auditCheckpointsPath = '/audit/checkpoints';
/** Path at which the server verifies its audit logs. */
export const auditVerifyPath = '/audit/verify';

/** The result of verifying one audit log. */
export interface AuditVerification {
  /** The files that were read, oldest first. */
  readonly files: readonly string[];
  /** The number of lines whose hashes were checked. */
  readonly lines: number;
  /**
   * The number of lines without hashes before the first line with a hash. An older version of the server wrote them.
   */
  readonly unprotectedLines: number;
  /**
   * The number and the time of the first line with a hash. `last` contains the number and the time of the last line
   * with a hash.
   */
  readonly first?: { readonly seq: number; readonly time: string };
  readonly last?: { readonly seq: number; readonly time: string };
  /**
   * The number of the last line that a valid signature covers. Absent if no public key was given or no line is signed.
   */
  readonly signedUpTo?: number;
  readonly problems: readonly AuditProblem[];
  /** Findings that do not indicate tampering, such as the repair of an interrupted write. */
  readonly notices: readonly AuditProblem[];
}

/** One finding of a verification: a problem or a notice. */
export interface AuditProblem {
  readonly file: string;
  /** The number of the line in the file, starting with 1. */
  readonly line: number;
  readonly message: string;
}

/**
 * One line of the response of `GET /audit/verify`: the result of one replica, or the reason why the replica returned no
 * result.
 */
export type ReplicaVerification = { readonly replica: string } & (AuditVerification | { readonly error: string });
