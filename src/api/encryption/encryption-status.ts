import { managementGroup, managementVersion } from '../naming.ts';

export const encryptionStatusKind = 'EncryptionStatus';
export const encryptionApiVersion = `${managementGroup}/${managementVersion}`;
/** Path at which administrators read the state of the encryption at rest (GET) and start a rotation (POST). */
export const encryptionPath = '/encryption';

/** The progress of a rewrite, which writes all rows again. */
export interface RewriteProgress {
  /** The time at which the rewrite was requested. */
  readonly since: string;
  /** The number of rows that must be written. Absent until the rows have been counted. */
  readonly total?: number;
  /** The number of rows that have been written. */
  readonly done: number;
  /**
   * The reason why no rows can be written now, such as a full disk. The rewrite continues when rows can be written
   * again.
   */
  readonly problem?: string;
}

/** The state of the encryption at rest. It contains no keys. */
export interface EncryptionStatus {
  readonly kind: typeof encryptionStatusKind;
  readonly apiVersion: typeof encryptionApiVersion;
  /** The rows that are encrypted when they are written: all rows, or only rows with secrets. */
  readonly rows: 'all' | 'secrets';
  /** False if an older server uses the store, because it could not read encrypted rows. */
  readonly isActive: boolean;
  /** The file or the KMS with the root keys. */
  readonly rootKeys: string;
  /**
   * The root key that will encrypt the keys of the store after the next rotation. Absent if the root keys cannot be
   * read.
   */
  readonly nextRootKey?: string;
  /** The root keys that are needed to open the keys of the store. */
  readonly neededRootKeys: readonly string[];
  /** The data key that encrypts new rows. Absent until there is one. */
  readonly dataKey?: string;
  /** The progress of the current rewrite. Absent if no rewrite is in progress. */
  readonly rewrite?: RewriteProgress;
  /** The time at which the last rewrite ended. */
  readonly rewrittenAt?: string;
  /** The reason why keys cannot be decrypted now. */
  readonly problem?: string;
}
