import type { JsonObject } from '@flotilla/json';
import { SignJWT } from 'jose';
import { tokenAlgorithm } from '../auth/direct-token.ts';
import { createTokenVerifier } from '../auth/token-verifier.ts';
import type { TokenKeys } from '../controlplane/core/accounts/account-tokens.ts';
import type { SigningKeys } from '../process/signing-keys.ts';

export interface ServiceAccountTokenKeysOptions {
  readonly signingKeys: Pick<SigningKeys, 'current' | 'publicKeys' | 'refresh'>;
  /** The unique ID of this Flotilla installation. It is part of the issuer of every service account token. */
  readonly installation: string;
}

/** Signs and verifies the service account tokens of all planes with the signing keys of the installation. */
export function serviceAccountTokenKeys({ signingKeys, installation }: ServiceAccountTokenKeysOptions): TokenKeys {
  const { verify } = createTokenVerifier(
    () => signingKeys.publicKeys(),
    () => signingKeys.refresh(),
  );
  return {
    installation,
    sign(claims) {
      const { kid, privateKey } = signingKeys.current();
      return new SignJWT(claims).setProtectedHeader({ alg: tokenAlgorithm, kid, typ: 'JWT' }).sign(privateKey);
    },
    verify,
    async publicKeys() {
      await signingKeys.refresh();
      return { keys: signingKeys.publicKeys().keys as unknown as JsonObject[] };
    },
  };
}
