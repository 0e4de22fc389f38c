import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@flotilla/json';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  /** The public key as the provider publishes it. */
  readonly jwk: JWK;
}

/** Creates a key for signing. The default algorithm is `RS256`. Creating RSA keys is slow. */
export async function signingKey(kid = randomBytes(8).toString('hex'), alg = 'RS256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/**
 * The first signing key. All providers of a test file share this key, because creating a key takes longer than most
 * tests.
 */
let firstKey: Promise<SigningKey> | undefined;

/** Signs claims as a correct provider does. */
export function signed(claims: JWTPayload, { privateKey, kid, jwk }: SigningKey, header: object = {}): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: jwk.alg ?? 'RS256', kid, ...header }).sign(privateKey);
}

/** Returns a text in the form of a JWT, with an arbitrary text as its signature. */
export function unsigned(header: object, claims: object, signature = ''): string {
  const parts = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  return [...parts, signature].join('.');
}

/**
 * A provider that sends tokens and documents that a test defines. By default, everything it sends is correct. It has no
 * login page: `back` returns the URL to which a provider redirects the browser after the sign-in.
 */
export class HostileProvider {
  readonly clientId = 'flotilla';
  readonly issuer: string;
  /** The paths of all requests so far. */
  readonly requests: string[] = [];
  /** The members that replace or extend the correct discovery document. */
  metadata: JsonObject = {};
  /** The claims of the person who signs in, in addition to `iss`, `aud`, `sub`, `exp`, `iat` and `nonce`. */
  claims: JWTPayload = { preferred_username: 'mallory', email: 'mallory@evil.test', email_verified: true, groups: [] };
  key: SigningKey;
  /** The public keys that the provider publishes. */
  jwks: readonly JWK[];
  /** Creates the ID token from the default claims, which are correct. Tests replace this function. */
  idToken: (claims: JWTPayload) => Promise<string> | string = (claims) => signed(claims, this.key);
  /**
   * Called before the provider handles a request. Returns true if this function has sent a response, so the provider
   * sends none.
   */
  intercept: (path: string, response: ServerResponse) => boolean = () => false;
  readonly #server: Server;
  readonly #folder: string;
  readonly #nonces = new Map<string, string>();

  private constructor(server: Server, folder: string, key: SigningKey) {
    this.#server = server;
    this.#folder = folder;
    this.key = key;
    this.jwks = [key.jwk];
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(): Promise<HostileProvider> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const folder = await mkdtemp(join(tmpdir(), 'hostile-provider-'));
    firstKey ??= signingKey();
    const provider = new HostileProvider(server, folder, await firstKey);
    await writeFile(provider.clientSecretFile, 'unused');
    server.on('request', (request, response) => {
      provider.#respond(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
    });
    return provider;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await rm(this.#folder, { recursive: true });
  }

  get clientSecretFile(): string {
    return join(this.#folder, 'client-secret');
  }

  /** The settings of a connector to this provider (`auth.oidc[]`). */
  connector(name: string, settings: JsonObject = {}): JsonObject {
    const { issuer, clientId, clientSecretFile } = this;
    return { name, issuer, clientId, clientSecretFile, ...settings };
  }

  /** Returns the URL to which the provider redirects the browser after a sign-in at its authorization endpoint. */
  back(authorization: URL): URL {
    const { searchParams } = authorization;
    const code = randomBytes(8).toString('hex');
    this.#nonces.set(code, searchParams.get('nonce') ?? '');
    const url = new URL(searchParams.get('redirect_uri') ?? '');
    url.searchParams.set('code', code);
    url.searchParams.set('state', searchParams.get('state') ?? '');
    return url;
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '/'] = (request.url ?? '/').split('?');
    this.requests.push(path);
    const body = Buffer.concat(await request.toArray()).toString();
    if (this.intercept(path, response)) return;
    const document = await this.#document(path, new URLSearchParams(body));
    response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? {}));
  }

  async #document(path: string, form: URLSearchParams): Promise<object | undefined> {
    const { issuer } = this;
    switch (path) {
      case '/.well-known/openid-configuration':
        return {
          issuer,
          authorization_endpoint: `${issuer}/auth`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256', 'ES256', 'HS256', 'none'],
          ...this.metadata,
        };
      case '/jwks':
        return { keys: this.jwks };
      case '/token':
        return {
          access_token: 'unused',
          token_type: 'bearer',
          expires_in: 60,
          id_token: await this.idToken(this.#validClaims(form.get('code') ?? '')),
        };
      default:
        return undefined;
    }
  }

  #validClaims(code: string): JWTPayload {
    const now = Math.floor(Date.now() / 1000);
    const { issuer: iss, clientId: aud } = this;
    return { iss, aud, sub: '666', iat: now, exp: now + 300, nonce: this.#nonces.get(code) ?? '', ...this.claims };
  }
}
