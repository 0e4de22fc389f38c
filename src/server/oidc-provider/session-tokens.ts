import { randomBytes } from 'node:crypto';
import type { Sealer } from '../../seal/sealer.ts';

/**
 * Creates and reads the refresh and access tokens of app sessions. A token contains the name of the session and a keyed
 * hash, so only this installation can create it. These tokens are not access keys: requests to the API cannot use them.
 */
export interface SessionTokens {
  createRefreshToken(session: string): string;
  /**
   * Returns the name of a refresh token's session; `undefined` if this installation did not create the token. The token
   * may be outdated.
   */
  readRefreshToken(token: string): string | undefined;
  /** Returns the value that the session's access key has as long as this refresh token is the current one. */
  keyValueOf(refreshToken: string): string;
  createAccessToken(session: string, expiresAt: number): string;
  /** Returns the name of the session; `undefined` if the token is not valid at the time `now`. */
  readAccessToken(token: string, now: number): string | undefined;
}

/** Maximum length of a token. Longer tokens are refused before they are hashed. */
const maxTokenLength = 512;
const tokenPattern = /^([a-z0-9-]{1,63})\.([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{43})$/;

export function createSessionTokens(sealer: Pick<Sealer, 'hash'>): SessionTokens {
  const create = (purpose: string, session: string, detail: string) =>
    `${session}.${detail}.${sealer.hash(purpose, `${session}.${detail}`)}`;
  const read = (purpose: string, token: string) => {
    const [, session = '', detail = ''] = (token.length <= maxTokenLength && tokenPattern.exec(token)) || [];
    return session !== '' && create(purpose, session, detail) === token ? { session, detail } : undefined;
  };
  return {
    createRefreshToken: (session) => create(refreshPurpose, session, randomBytes(24).toString('base64url')),
    readRefreshToken: (token) => read(refreshPurpose, token)?.session,
    // The prefix `oidc-` ensures that the value does not look like a generated access key, which would need a checksum.
    keyValueOf: (token) => `oidc-${sealer.hash(keyPurpose, token)}`,
    createAccessToken: (session, expiresAt) => create(accessPurpose, session, expiresAt.toString(36)),
    readAccessToken(token, now) {
      const found = read(accessPurpose, token);
      return found !== undefined && now < Number.parseInt(found.detail, 36) ? found.session : undefined;
    },
  };
}

const refreshPurpose = 'oidc refresh token';
const accessPurpose = 'oidc access token';
const keyPurpose = 'oidc refresh key';
