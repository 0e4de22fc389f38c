import { isJsonObject, textAt } from '@flotilla/json';
import type { Clock } from '../../lib/clock.ts';
import {
  type CertificatePair,
  createAuthority,
  hasExpired,
  isSameCertificate,
  writeAuthorityFiles,
} from '../../process/certificates.ts';
import { StartError } from '../../process/start-error.ts';
import type { Sealer } from '../../seal/sealer.ts';
import type { Entry } from '../../store/store.ts';
import { type AuthorityFileSet, assertAuthorityFiles, presentAuthorities } from './authority-files.ts';
import type { InstallationRows } from './installation-rows.ts';

export interface SharedAuthorityOptions {
  readonly rows: InstallationRows;
  readonly sealer: Sealer;
  readonly files: AuthorityFileSet;
  readonly clock: Clock;
}

const rowName = 'ca';
const purpose = 'certificate authority';

export function openAuthority(sealer: Sealer, sealed: string): CertificatePair {
  const pair: unknown = JSON.parse(sealer.open(purpose, sealed));
  if (!isJsonObject(pair)) throw new StartError('the certificate authority in the store is damaged');
  return { cert: textAt(pair, 'cert'), key: textAt(pair, 'key') };
}

/**
 * Returns the certificate authority that all servers on a shared store use. The authority is sealed in a row; the data
 * directory has a copy. The first server stores the authority in its files, or creates one. Throws StartError if a file
 * contains a different authority.
 */
export async function loadSharedAuthority(options: SharedAuthorityOptions): Promise<CertificatePair> {
  const { rows, files, clock } = options;
  if (rows.get(rowName) === undefined) {
    await storeAuthority(options, undefined, presentAuthorities(files)[0] ?? (await createAuthority(clock)));
  }
  const stored = storedAuthority(options);
  const authority = hasExpired(stored.authority, clock) ? await replaceExpired(options, stored) : stored.authority;
  assertAuthorityFiles(files, authority);
  if (files.copied.pair === undefined) await writeAuthorityFiles(files.copied, authority);
  return authority;
}

/**
 * Stores the authority in a row. If several servers replace the same row at the same time, the first authority remains.
 */
async function storeAuthority(
  { rows, sealer }: SharedAuthorityOptions,
  previous: Entry | undefined,
  { cert, key }: CertificatePair,
): Promise<void> {
  await rows.replace(rowName, previous, sealer.seal(purpose, JSON.stringify({ cert, key })));
}

interface StoredAuthority {
  readonly row: Entry;
  readonly authority: CertificatePair;
}

function storedAuthority({ rows, sealer }: SharedAuthorityOptions): StoredAuthority {
  const row = rows.get(rowName);
  if (row === undefined) throw new StartError('the certificate authority in the store was removed; start again');
  return { row, authority: openAuthority(sealer, row.value) };
}

/**
 * Replaces an expired authority with an authority that an operator provides. The server does not create an authority
 * here, because clients must already trust it.
 */
async function replaceExpired(options: SharedAuthorityOptions, expired: StoredAuthority): Promise<CertificatePair> {
  const { files, clock } = options;
  const replacement = presentAuthorities(files).find((pair) => !hasExpired(pair, clock));
  if (replacement === undefined || isSameCertificate(replacement, expired.authority)) {
    const { caCertificate, caKey } = files.copied;
    throw new StartError(
      `the certificate authority of this installation has expired: put a new one into ${caCertificate} and ${caKey}, ` +
        'restart all servers, and distribute new kubeconfigs',
    );
  }
  await storeAuthority(options, expired.row, replacement);
  return storedAuthority(options).authority;
}
