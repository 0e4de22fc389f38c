import { type JsonObject, numberAt, textAt } from '@flotilla/json';
import type { CredentialUse } from '../../api/management/credential-use.ts';
import { systemPrefix, tokenCreatorClaim } from '../../api/naming.ts';

const accountPrefix = `${systemPrefix}serviceaccount:`;

/**
 * Describes the use, at the time `now`, of the service account token with the given claims. Returns `undefined` if the
 * claims name no service account. The cluster that issued the token must have accepted the token before this call.
 */
export function describeTokenUse(claims: JsonObject | undefined, now: number): CredentialUse | undefined {
  const subject = textAt(claims, 'sub');
  if (!subject.startsWith(accountPrefix)) return undefined;
  const [namespace = '', serviceAccount = ''] = subject.slice(accountPrefix.length).split(':');
  // Kubernetes puts the name of the Secret into a separate claim.
  const secret =
    textAt(claims, 'kubernetes.io', 'secret', 'name') || textAt(claims, 'kubernetes.io/serviceaccount/secret.name');
  const creator = textAt(claims, tokenCreatorClaim);
  const issued = numberAt(claims, 'iat');
  const expires = numberAt(claims, 'exp');
  return {
    namespace,
    serviceAccount,
    ...(secret === '' ? {} : { secret }),
    ...(creator === '' ? {} : { maker: creator }),
    lastUsed: now,
    ...(issued === undefined ? {} : { issued: issued * 1000 }),
    ...(expires === undefined ? {} : { expires: expires * 1000 }),
  };
}
