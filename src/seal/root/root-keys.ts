/** A key that is encrypted by a root key. It is stored in the store. */
export interface WrappedKey {
  /** The ID of the root key that can decrypt this key. */
  readonly root: string;
  /** The ciphertext in base64. */
  readonly wrapped: string;
  /** The values that a KMS plugin needs in addition to the ciphertext, in base64. Absent if it needs none. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * The root keys of an installation, which encrypt all other keys: the seal key file or a KMS. Methods reject with
 * SealError, whose message names the problem and the key.
 */
export interface RootKeys {
  /** Describes where the root keys are, for messages. */
  readonly place: string;
  /**
   * True if the current root key can change without a command to the server, so that the server must read its ID
   * periodically.
   */
  readonly mayChange: boolean;
  /** Returns the ID of the root key that `wrap` uses now. Rejects if `wrap` would not work. */
  currentId(): Promise<string>;
  /** Encrypts a key. Decryption requires the same `purpose`. */
  wrap(purpose: string, clear: Uint8Array): Promise<WrappedKey>;
  unwrap(purpose: string, wrapped: WrappedKey): Promise<Uint8Array>;
  /** Returns the IDs of all root keys. Absent for a KMS, which does not report them. */
  ids?(): Promise<readonly string[]>;
  close(): void;
}

/** The prefix of the IDs of root keys that are in a KMS. */
export const kmsKeyPrefix = 'kms:';
