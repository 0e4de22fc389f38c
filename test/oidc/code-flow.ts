import { createHash, randomBytes } from 'node:crypto';

/** An OpenID Connect provider and a client that is registered there. */
export interface RegisteredClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** A minimal client of the authorization code flow, for tests of providers themselves. */
export class CodeFlow {
  readonly callback = 'https://flotilla.test/callback';
  readonly #client: RegisteredClient;
  readonly #verifier = randomBytes(32).toString('base64url');

  constructor(client: RegisteredClient) {
    this.#client = client;
  }

  authorizationUrl(endpoint: string): URL {
    const query = new URLSearchParams({
      client_id: this.#client.clientId,
      response_type: 'code',
      redirect_uri: this.callback,
      scope: 'openid profile email groups offline_access',
      state: 's',
      nonce: 'n',
      code_challenge: createHash('sha256').update(this.#verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    return new URL(`${endpoint}?${query}`);
  }

  exchange(endpoint: string, back: URL): Promise<Record<string, string>> {
    const code = back.searchParams.get('code') ?? '';
    const verifier = this.#verifier;
    const grant = { grant_type: 'authorization_code', code, redirect_uri: this.callback, code_verifier: verifier };
    return this.#tokens(endpoint, grant);
  }

  refresh(endpoint: string, refreshToken: string | undefined): Promise<Record<string, string>> {
    return this.#tokens(endpoint, { grant_type: 'refresh_token', refresh_token: refreshToken ?? '' });
  }

  async #tokens(endpoint: string, parameters: Record<string, string>): Promise<Record<string, string>> {
    const { clientId, clientSecret } = this.#client;
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
      body: new URLSearchParams(parameters),
    });
    return (await response.json()) as Record<string, string>;
  }
}
