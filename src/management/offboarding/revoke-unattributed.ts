import { StatusError } from '../../api/status.ts';
import { deleteSecret } from '../credentials/delete-secret.ts';
import type { ReadCredentialsOptions } from '../credentials/read-credentials.ts';
import { type RevokeOptions, recordRevocation, waitUntil } from '../credentials/revoke-tokens.ts';
import { type CredentialSearch, callEach } from './search-credentials.ts';
import type { UnattributedInstance } from './unattributed-instances.ts';

const concurrentWrites = 16;

/**
 * Revokes all service account tokens of these instances that were issued until now, also in virtual clusters that
 * sleep. Then deletes the Secrets with tokens in the virtual clusters that were searched. If a Secret cannot be
 * deleted, the gateway still rejects its token.
 */
export async function revokeUnattributed(
  revoked: readonly UnattributedInstance[],
  { found }: Pick<CredentialSearch, 'found'>,
  options: ReadCredentialsOptions & RevokeOptions,
): Promise<void> {
  const { clock, context, settings } = options;
  const maxAgeSeconds = settings.gateway.maxServiceAccountTokenAge;
  let newest = 0;
  for (let start = 0; start < revoked.length; start += concurrentWrites) {
    context.signal.throwIfAborted();
    const part = revoked.slice(start, start + concurrentWrites);
    const times = await Promise.all(
      part.map(({ instance }) => recordRevocation({ instance, accounts: 'all', maxAgeSeconds }, options).catch(ifGone)),
    );
    newest = Math.max(newest, ...times);
  }
  await waitUntil(newest, clock);
  const searched = revoked.map(({ instance }) => instance).filter(({ metadata }) => found.has(metadata.uid ?? ''));
  await callEach(searched, options, context.signal, async (client, { metadata }) => {
    for (const one of found.get(metadata.uid ?? '') ?? []) if (one.kind === 'Secret') await deleteSecret(client, one);
  });
}

/** Ignores the error for an instance that was deleted or replaced, because there are no tokens to revoke. */
function ifGone(error: unknown): number {
  if (error instanceof StatusError && [404, 409].includes(error.code)) return 0;
  throw error;
}
