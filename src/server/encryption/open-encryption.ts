import type { HealthCheck } from '../../http/plane.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { CloseStack } from '../../process/close-stack.ts';
import type { Keyring } from '../../seal/keyring/keyring.ts';
import { defaultEncryptedRows } from '../../seal/keyring/keyring-record.ts';
import { type SealerKeys, sealerWithKeys } from '../../seal/open-sealer.ts';
import type { RootKeys } from '../../seal/root/root-keys.ts';
import { type EncryptedStore, encryptedStore } from '../../seal/rows/encrypted-store.ts';
import { RowCipher } from '../../seal/rows/row-cipher.ts';
import type { Sealer } from '../../seal/sealer.ts';
import type { Store } from '../../store/store.ts';
import type { ServerOptions } from '../settings/options.ts';
import { isClearRow } from './is-clear-row.ts';
import { openKeyring } from './open-keyring.ts';
import { openRootKeys, usesKms } from './open-root-keys.ts';

export interface EncryptionOptions {
  /** The store with the encrypted rows. */
  readonly store: Store;
  readonly settings: Pick<ServerOptions, 'encryption'>;
  readonly sealKeyFile: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly closing: CloseStack;
}

/** The encryption of an installation: its keys, and the store through which all other parts read and write. */
export interface Encryption {
  readonly roots: RootKeys;
  readonly keyring: Keyring;
  readonly cipher: RowCipher;
  /** The store with the encrypted rows. */
  readonly encrypted: Store;
  /** The store in clear, which all other parts use. */
  readonly store: EncryptedStore;
  readonly sealer: Sealer;
  readonly sealerKeys: SealerKeys;
  readonly healthChecks: readonly HealthCheck[];
}

/** Opens the keys of the installation and the store in clear. Rejects with StartError if a key is missing or wrong. */
export async function openEncryption(options: EncryptionOptions): Promise<Encryption> {
  const { store: encrypted, settings, sealKeyFile, clock, log, closing } = options;
  const { rows } = settings.encryption;
  const roots = await openRootKeys({ settings: settings.encryption, sealKeyFile, clock, log });
  closing.add('root keys', () => roots.close());
  const keyring = await openKeyring({
    store: encrypted,
    roots,
    rows,
    rowsOfNew: rows ?? defaultEncryptedRows,
    sealKeyFile,
    hasKms: usesKms(settings.encryption),
    clock,
    log,
  });
  closing.add('keyring', () => keyring.close());
  const cipher = new RowCipher(keyring);
  const { sealerKeys } = keyring;
  return {
    roots,
    keyring,
    cipher,
    encrypted,
    store: encryptedStore({ store: encrypted, cipher, isExempt: isClearRow, loadKey: (id) => keyring.load(id) }),
    sealer: sealerWithKeys(sealerKeys),
    sealerKeys,
    healthChecks: [
      {
        name: 'encryption',
        on: ['readyz', 'healthz'],
        check() {
          if (keyring.problem !== undefined) throw new Error(keyring.problem);
        },
      },
      ...(roots.mayChange ? [kmsCheck(roots, clock)] : []),
    ],
  };
}

/**
 * The minimum interval between two requests to the KMS, in milliseconds. Anyone can trigger a request, because the
 * health endpoint needs no credential.
 */
const kmsCheckMs = 10_000;

/**
 * Returns the check of the KMS plugin for `/healthz`. The check is not part of `/readyz`, because a server works
 * without the plugin as long as no key is created.
 */
function kmsCheck(roots: RootKeys, clock: Clock): HealthCheck {
  let last: { readonly at: number; readonly result: Promise<unknown> } | undefined;
  return {
    name: 'kms',
    on: ['healthz'],
    async check() {
      if (last === undefined || clock.elapsed() - last.at >= kmsCheckMs) {
        last = { at: clock.elapsed(), result: roots.currentId() };
      }
      await last.result;
    },
  };
}
