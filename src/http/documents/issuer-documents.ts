import { type JsonObject, listAt, textAt } from '@flotilla/json';
import { withoutTrailingSlashes } from '../../lib/without-trailing-slashes.ts';
import type { IncomingRequest } from '../exchange.ts';
import type { Reply } from '../reply.ts';
import { rawPath } from '../request/path-segments.ts';
import type { DocumentSet } from './api-document.ts';

/** The issuer of the service account tokens of a control plane. */
export interface TokenIssuer {
  /** The value of the claim `iss` in the tokens. */
  readonly issuer: string;
  /** Returns the public keys that verify the tokens, as a JSON Web Key Set. */
  publicKeys(): Promise<JsonObject>;
}

const configurationPath = '/.well-known/openid-configuration';
const keysPath = '/openid/v1/jwks';

/** Clients may reuse a response for five minutes. A verifier fetches the keys again if a token names an unknown key. */
const cacheControl = 'public, max-age=300';

/**
 * The documents with which other programs verify the service account tokens of a control plane: the OpenID
 * configuration and the public keys (rule DISC-21).
 */
export function issuerDocuments(issuer: TokenIssuer): DocumentSet {
  return {
    paths: () => [configurationPath, keysPath],
    async find({ info, request }) {
      if (info.path === keysPath) return jsonReply(await issuer.publicKeys(), 'application/jwk-set+json');
      if (info.path !== configurationPath) return undefined;
      const keys = listAt(await issuer.publicKeys(), 'keys');
      const configuration = {
        issuer: issuer.issuer,
        jwks_uri: `${planeUrl(request)}${keysPath}`,
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: [...new Set(keys.map((key) => textAt(key, 'alg')))].sort(),
      };
      return jsonReply(configuration, 'application/json');
    },
  };
}

function jsonReply(content: JsonObject, type: string): Reply {
  return {
    status: 200,
    headers: { 'content-type': type, 'cache-control': cacheControl },
    body: JSON.stringify(content),
  };
}

/**
 * Returns the URL of the control plane as the client addressed it: the URL of the request without its last two
 * segments.
 */
function planeUrl({ url, headers }: IncomingRequest): string {
  const segments = withoutTrailingSlashes(rawPath(url)).split('/');
  return `https://${headers.host ?? ''}${segments.slice(0, -2).join('/')}`;
}
