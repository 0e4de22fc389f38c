import { textAt } from '@flotilla/json';
import type { TokenVerifier } from '../../auth/token-verifier.ts';
import type { OidcClient } from '../settings/oidc-provider-settings.ts';

/** The sign-in that an ID token describes. An app sends the ID token back to this server to sign the user out. */
export interface IdTokenHint {
  readonly client: OidcClient;
  /** The UID of the user. */
  readonly subject: string;
  /** The name of the login in which the user signed in to the app. */
  readonly login: string;
}

export interface IdTokenHintOptions {
  readonly issuer: string;
  readonly clients: ReadonlyMap<string, OidcClient>;
  readonly verifier: TokenVerifier;
}

/**
 * Reads an ID token that this provider issued. The ID token may have expired, because the session of the user usually
 * lasts longer. Returns `undefined` for all other tokens, including tokens for other purposes that were signed with the
 * same keys.
 */
export async function readIdTokenHint(
  token: string,
  { issuer, clients, verifier }: IdTokenHintOptions,
): Promise<IdTokenHint | undefined> {
  const claims = await verifier.verify(token);
  if (claims === undefined || claims.iss !== issuer) return undefined;
  const client = clients.get(textAt(claims, 'aud'));
  const [subject, login] = [textAt(claims, 'sub'), textAt(claims, 'sid')];
  return client === undefined || subject === '' || login === '' ? undefined : { client, subject, login };
}
