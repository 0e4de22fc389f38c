import { decodeJwt, importJWK, type JSONWebKeySet, SignJWT } from 'jose';

/**
 * Returns a copy of a service account token without its creator, like the tokens of virtual clusters on connected
 * clusters. `signingKeys` is the content of the server's file with signing keys.
 */
export async function withoutCreator(token: string, signingKeys: string): Promise<string> {
  const { keys } = JSON.parse(signingKeys) as JSONWebKeySet;
  const { 'platform.sh/maker': _, ...claims } = decodeJwt(token);
  const { kid = '', alg = '', ...key } = keys[0] ?? { kty: '' };
  return await new SignJWT(claims).setProtectedHeader({ kid, alg }).sign(await importJWK(key, alg));
}
