import {
  type EncryptionStatus,
  encryptionApiVersion,
  encryptionStatusKind,
} from '../../api/encryption/encryption-status.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { rootsOf } from '../../seal/keyring/keyring-record.ts';
import { SealError } from '../../seal/open-sealer.ts';
import { RowRewriter } from '../../seal/rows/row-rewriter.ts';
import { isUnloggedRow } from '../data/is-unlogged-row.ts';
import { assertReplicasHaveKey } from './announced-root-keys.ts';
import { isClearRow } from './is-clear-row.ts';
import type { Encryption } from './open-encryption.ts';

export interface RotationOptions {
  readonly encryption: Encryption;
  readonly clock: Clock;
  readonly log: Log;
}

/** Rotates keys. Any server can start a rotation. The leader then rewrites all rows in the background. */
export class KeyRotation {
  readonly #options: RotationOptions;
  readonly #rewriter: RowRewriter;
  /** The ID of the last root key that `#followRootKey` has handled. */
  #followed: string | undefined;

  constructor(options: RotationOptions) {
    const { encryption, clock, log } = options;
    this.#options = options;
    this.#rewriter = new RowRewriter({
      ...encryption,
      isExempt: isClearRow,
      isUnlogged: isUnloggedRow,
      prepare: () => this.#followRootKey(),
      clock,
      log,
    });
  }

  /**
   * Encrypts all keys of the store with the current root key, creates a data key, and requests a rewrite of all rows.
   * Rejects with StoreError, or with SealError, for example if another server could not open the keys.
   */
  async rotate(): Promise<void> {
    const { encryption, log } = this.#options;
    const { keyring, encrypted } = encryption;
    await keyring.reload();
    if (!keyring.isEnabled) {
      throw new SealError(
        'a server of an older version uses the store and cannot read encrypted rows; upgrade all servers',
      );
    }
    await assertReplicasHaveKey(encrypted, await encryption.roots.currentId());
    await keyring.rotate();
    log.info({ rootKeys: rootsOf(keyring.record) }, 'rotated the keys of the store; rewriting all rows');
  }

  async status(): Promise<EncryptionStatus> {
    const { keyring, roots } = this.#options.encryption;
    await keyring.reload();
    const { record, problem, current } = keyring;
    const { rewriteSince, rewrittenAt } = record;
    const nextRootKey = await roots.currentId().catch(() => undefined);
    return {
      kind: encryptionStatusKind,
      apiVersion: encryptionApiVersion,
      rows: keyring.rows,
      isActive: keyring.isEnabled,
      rootKeys: roots.place,
      ...(nextRootKey === undefined ? {} : { nextRootKey }),
      neededRootKeys: rootsOf(record),
      ...(current === undefined ? {} : { dataKey: current.id }),
      ...(rewriteSince === undefined ? {} : { rewrite: await this.#rewriter.progress(rewriteSince) }),
      ...(rewrittenAt === undefined ? {} : { rewrittenAt }),
      ...(problem === undefined ? {} : { problem }),
    };
  }

  /**
   * Rewrites all rows whenever a rotation requests it. Only one server does this at a time. Returns a function that
   * stops the rewriting.
   */
  start(): () => Promise<void> {
    return this.#rewriter.start();
  }

  /** Creates a data key if the KMS now uses another root key than the one that encrypts the newest data key. */
  async #followRootKey(): Promise<void> {
    const { encryption, log } = this.#options;
    const { keyring, roots } = encryption;
    if (!roots.mayChange) return;
    try {
      const id = await roots.currentId();
      if (this.#followed === id) return;
      await keyring.update(async (record) => {
        const newest = record.dataKeys.at(-1);
        // Without a data key, there was no rotation yet and rows are not encrypted, so none is created.
        if (newest === undefined || newest.root === id) return undefined;
        return { ...record, dataKeys: [...record.dataKeys, await keyring.newDataKey()] };
      });
      this.#followed = id;
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      log.warn({ error }, 'cannot read the current key ID of the KMS; the server continues with the keys in memory');
    }
  }
}
