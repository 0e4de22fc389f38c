import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { StartError } from '../../process/start-error.ts';
import { SealError } from '../../seal/open-sealer.ts';
import { eitherRootKeys } from '../../seal/root/either-root-keys.ts';
import { keyFileRootKeys } from '../../seal/root/key-file-root-keys.ts';
import { kmsKeyPrefix, type RootKeys } from '../../seal/root/root-keys.ts';
import type { ServerOptions } from '../settings/options.ts';

export interface RootKeysOptions {
  readonly settings: ServerOptions['encryption'];
  readonly sealKeyFile: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** True if a KMS encrypts the keys of the store. */
export function usesKms({ kms, rootKey }: ServerOptions['encryption']): boolean {
  return kms !== undefined && rootKey !== 'file';
}

/**
 * Opens the root keys that the settings name: those in the seal key file, in a KMS, or both. Rejects with StartError if
 * this fails.
 */
export async function openRootKeys({ settings, sealKeyFile, clock, log }: RootKeysOptions): Promise<RootKeys> {
  const file = keyFileRootKeys(sealKeyFile);
  const { kms: endpoint } = settings;
  if (endpoint === undefined) return file;
  // Servers without a KMS do not load the gRPC library.
  const { openKmsRootKeys } = await import('../../seal/kms/kms-root-keys.ts');
  const kms = await openKmsRootKeys({ endpoint, clock, log }).catch((error: unknown) => {
    throw error instanceof SealError ? new StartError(error.message, { cause: error }) : error;
  });
  const isKms = (id: string) => id.startsWith(kmsKeyPrefix);
  return usesKms(settings)
    ? eitherRootKeys({ current: kms, former: file, isCurrent: isKms })
    : eitherRootKeys({ current: file, former: kms, isCurrent: (id) => !isKms(id) });
}
