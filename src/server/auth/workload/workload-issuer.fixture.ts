import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '@flotilla/json';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

/** The differences between a test token and a valid one. */
export interface TokenVariation {
  readonly claims?: JsonObject;
  readonly header?: JsonObject;
  readonly omit?: readonly string[];
}

type Responder = (response: ServerResponse) => void;

/**
 * An issuer of workload tokens that listens on a loopback address, with real keys, discovery and a key set. The claims
 * of its tokens are those of a GitHub Actions job.
 */
export class TestIssuer {
  readonly url: string;
  /** The number of requests for the key set. */
  keyRequests = 0;
  /** Replaces the response to a request for the key set. */
  respondWithKeys: Responder | undefined;
  /** Members that replace members of the discovery document. */
  discovery: JsonObject = {};
  keys: JWK[] = [];
  #signingKey: CryptoKey | undefined;
  #keyId = '';
  readonly #server: Server;
  #now: () => number = Date.now;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => {
      if (request.url === '/keys') {
        this.keyRequests++;
        if (this.respondWithKeys !== undefined) this.respondWithKeys(response);
        else sendJson(response, { keys: this.keys });
      } else if (request.url === '/.well-known/openid-configuration') {
        sendJson(response, { issuer: this.url, jwks_uri: `${this.url}/keys`, ...this.discovery });
      } else {
        response.writeHead(404).end();
      }
    });
  }

  static async start(now: () => number = Date.now): Promise<TestIssuer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const issuer = new TestIssuer(server);
    issuer.#now = now;
    await issuer.rotate('first');
    return issuer;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Replaces the signing key. */
  async rotate(keyId: string): Promise<void> {
    const { publicKey, privateKey } = await generateKeyPair('RS256');
    this.#signingKey = privateKey;
    this.#keyId = keyId;
    this.keys = [{ ...(await exportJWK(publicKey)), kid: keyId, alg: 'RS256', use: 'sig' }];
  }

  claims({ claims = {}, omit = [] }: TokenVariation = {}): JsonObject {
    const now = Math.floor(this.#now() / 1000);
    const all: JsonObject = {
      iss: this.url,
      aud: 'https://flotilla.example.com',
      sub: 'repo:acme/shop:ref:refs/heads/main',
      repository: 'acme/shop',
      ref: 'refs/heads/main',
      iat: now,
      nbf: now,
      exp: now + 300,
      jti: `job-${++tokens}`,
      ...claims,
    };
    return Object.fromEntries(Object.entries(all).filter(([name]) => !omit.includes(name)));
  }

  async sign(variation: TokenVariation = {}): Promise<string> {
    if (this.#signingKey === undefined) throw new Error('the issuer has no key');
    return await new SignJWT(this.claims(variation))
      .setProtectedHeader({ alg: 'RS256', kid: this.#keyId, typ: 'JWT', ...variation.header })
      .sign(this.#signingKey);
  }
}

let tokens = 0;

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
