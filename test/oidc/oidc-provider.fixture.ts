import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@flotilla/json';
import { exportJWK, generateKeyPair } from 'jose';
import { testCertificate } from '../harness/test-http-server.ts';
import { memoryAdapter, type ProviderRows } from './memory-adapter.ts';
import { type Behaviour, misbehave } from './provider-behaviour.ts';
import { interactionPolicy, Provider } from './provider-library.mjs';
import { redirectTarget, WebClient } from './web-client.ts';

/** The claims of an account other than `sub`, such as `{ email, email_verified, groups }`. */
export type AccountClaims = JsonObject;

export interface OidcProviderOptions {
  /**
   * Serves TLS with a certificate that clients can verify only with the CA in `caFile`. Default: HTTP on a loopback
   * address.
   */
  readonly tls?: boolean;
  /** Issues refresh tokens. Default: true. */
  readonly refreshTokens?: boolean;
  /** Returns claims only at the userinfo endpoint, not in ID tokens. Default: false. */
  readonly claimsOnlyAtUserinfo?: boolean;
  /** The lifetime of ID and access tokens in seconds. Default: one hour. */
  readonly tokenSeconds?: number;
}

/**
 * A certified OpenID Connect provider (the package `oidc-provider`) in this process. Its login page asks for the
 * subject of an account but no password. A test can change accounts at any time. Tokens that are issued after a change
 * contain the new claims.
 */
export class OidcProviderFixture {
  /** The accounts by subject. A sign-in or refresh of any other account fails, as for a deleted user. */
  readonly accounts = new Map<string, AccountClaims>();
  readonly clientId = 'flotilla';
  /** A random secret. Tests can pass it in the file `clientSecretFile`. */
  readonly clientSecret = randomBytes(16).toString('hex');
  /** The path of the client secret's file, for `auth.oidc[].clientSecretFile`. */
  readonly clientSecretFile: string;
  /** The path of the CA certificate, for `auth.oidc[].caFile`. Absent without TLS. */
  readonly caFile: string | undefined;
  /** The CA certificate in PEM format, for clients of the provider. Empty without TLS. */
  readonly ca: readonly string[];
  readonly issuer: string;
  /** The paths of all requests so far. */
  readonly requests: string[] = [];
  readonly #options: OidcProviderOptions;
  readonly #folder: string;
  readonly #server: Server;
  readonly #rows: ProviderRows = new Map();
  readonly #cookieKeys = [randomBytes(16).toString('hex')];
  readonly #behaviours = new Map<string, Behaviour>();
  readonly #releases = new Map<string, Promise<void>>();
  #provider: Provider | undefined;

  private constructor(options: OidcProviderOptions, server: Server, folder: string, ca: readonly string[]) {
    const { port } = server.address() as AddressInfo;
    this.#options = options;
    this.#server = server;
    this.#folder = folder;
    this.issuer = `${options.tls === true ? 'https' : 'http'}://127.0.0.1:${port}`;
    this.ca = ca;
    this.caFile = options.tls === true ? join(folder, 'ca.crt') : undefined;
    this.clientSecretFile = join(folder, 'client-secret');
  }

  static async start(options: OidcProviderOptions = {}): Promise<OidcProviderFixture> {
    const certificate = options.tls === true ? await testCertificate() : undefined;
    const server = certificate === undefined ? createHttpServer() : createHttpsServer(certificate);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const folder = await mkdtemp(join(tmpdir(), 'oidc-provider-'));
    const ca = certificate === undefined ? [] : [certificate.cert];
    const fixture = new OidcProviderFixture(options, server, folder, ca);
    await writeFile(fixture.clientSecretFile, fixture.clientSecret);
    if (fixture.caFile !== undefined) await writeFile(fixture.caFile, ca.join(''));
    await fixture.rotateKeys();
    fixture.allowRedirects();
    server.on('request', (request, response) => fixture.#respond(request, response));
    return fixture;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await rm(this.#folder, { recursive: true });
  }

  /** The settings of a connector to this provider (`auth.oidc[]`). */
  connector(name: string, settings: JsonObject = {}): JsonObject {
    return {
      name,
      issuer: this.issuer,
      clientId: this.clientId,
      clientSecretFile: this.clientSecretFile,
      scopes: ['openid', 'profile', 'email', 'groups', 'offline_access'],
      ...(this.caFile === undefined ? {} : { caFile: this.caFile }),
      ...settings,
    };
  }

  /** Replaces the registered redirect URIs of the client. */
  allowRedirects(
    redirectUris: readonly string[] = ['https://unused.test/callback'],
    postLogout: readonly string[] = [],
  ): void {
    this.#rows.set(`Client:${this.clientId}`, {
      client_id: this.clientId,
      client_secret: this.clientSecret,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      redirect_uris: [...redirectUris],
      post_logout_redirect_uris: [...postLogout],
    });
  }

  /** Replaces the signing key. Tokens that older keys signed can no longer be verified. */
  async rotateKeys(): Promise<void> {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    const kid = randomBytes(8).toString('hex');
    const key = { ...(await exportJWK(privateKey)), kid, use: 'sig', alg: 'RS256' };
    const { refreshTokens = true, claimsOnlyAtUserinfo = false, tokenSeconds = 3600 } = this.#options;
    this.#provider = new Provider(this.issuer, {
      adapter: (model: string) => memoryAdapter(this.#rows, model),
      jwks: { keys: [key] },
      cookies: { keys: this.#cookieKeys },
      scopes: ['openid', 'offline_access'],
      claims: {
        openid: ['sub'],
        profile: ['name', 'preferred_username', 'picture'],
        email: ['email', 'email_verified'],
        groups: ['groups'],
      },
      conformIdTokenClaims: claimsOnlyAtUserinfo,
      features: {
        devInteractions: { enabled: false },
        rpInitiatedLogout: { enabled: true, logoutSource: showLogoutPage },
        revocation: { enabled: true },
      },
      interactions: { policy: loginOnly(), url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      loadExistingGrant: (context: GrantContext) => this.#grant(context),
      issueRefreshToken: async () => refreshTokens,
      findAccount: (_: unknown, subject: string) => this.#account(subject),
      ttl: {
        IdToken: tokenSeconds,
        AccessToken: tokenSeconds,
        RefreshToken: 86_400,
        Session: 86_400,
        Grant: 86_400,
        Interaction: 600,
      },
    });
  }

  /**
   * Makes the provider misbehave for all paths with the prefix `pathPrefix`. The behavior `normal` makes it respond
   * correctly again.
   */
  behave(behaviour: Behaviour, pathPrefix = '/'): void {
    this.#behaviours.set(pathPrefix, behaviour);
  }

  /** Delays the responses for paths with this prefix until the returned function is called. */
  hold(pathPrefix = '/'): () => void {
    let release = (): void => {};
    this.#releases.set(pathPrefix, new Promise((resolve) => (release = resolve)));
    return () => {
      this.#releases.delete(pathPrefix);
      release();
    };
  }

  /** Returns the valid refresh tokens that the provider has issued. */
  refreshTokens(): string[] {
    const prefix = 'RefreshToken:';
    return [...this.#rows.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
  }

  /** Revokes all refresh tokens and browser sessions of an account. The account itself continues to exist. */
  revokeLogins(subject: string): void {
    for (const [key, row] of this.#rows) {
      if (row.accountId === subject && !key.startsWith('Client:')) this.#rows.delete(key);
    }
  }

  /**
   * Starts at a page that redirects to the provider, such as Flotilla's `/auth/oidc/<connector>/login`, and signs in on
   * the login page. Returns the URL to which the provider redirects the browser, without requesting it.
   */
  async signIn(client: WebClient, start: string | URL, subject: string): Promise<URL> {
    const isBack = (url: URL) =>
      url.origin !== this.issuer && (url.searchParams.has('code') || url.searchParams.has('error'));
    let page = await client.visit(start, { stopAt: isBack });
    if (page.status === 200) page = await client.submit(page, { login: subject }, { stopAt: isBack });
    return redirectTarget(page);
  }

  /** Returns a client that trusts this provider's CA and the additional CA certificates in `ca`. */
  webClient(ca: readonly string[] = []): WebClient {
    return new WebClient([...this.ca, ...ca]);
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/';
    this.requests.push(path.split('?')[0] ?? path);
    const entry = [...this.#behaviours].find(([prefix, each]) => each !== 'normal' && path.startsWith(prefix));
    if (misbehave(entry?.[1] ?? 'normal', request, response)) return;
    const held = [...this.#releases].find(([prefix]) => path.startsWith(prefix))?.[1];
    const answer = () =>
      path.startsWith('/interaction/') ? this.#interact(request, response) : this.#serve(request, response);
    (held ?? Promise.resolve()).then(answer).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await this.#provider?.callback()(request, response);
  }

  /** Serves the login page. Its form field has the same name as the form field of Dex. */
  async #interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const provider = this.#provider;
    if (provider === undefined) throw new Error('the provider is not started');
    const { uid } = await provider.interactionDetails(request, response);
    if (request.method === 'POST') {
      const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
      const subject = form.get('login') ?? '';
      if (this.accounts.has(subject)) {
        await provider.interactionFinished(request, response, { login: { accountId: subject } });
      } else {
        await provider.interactionFinished(request, response, {
          error: 'access_denied',
          error_description: 'no such account',
        });
      }
      return;
    }
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(
      `<!doctype html><title>Provider</title><form method="post" action="/interaction/${uid}">` +
        '<label>Account <input name="login"></label><button>Sign in at the provider</button></form>',
    );
  }

  async #account(subject: string) {
    if (!this.accounts.has(subject)) return undefined;
    return { accountId: subject, claims: async () => ({ sub: subject, ...this.accounts.get(subject) }) };
  }

  /** Grants a client everything that it asks for, without asking the user. */
  async #grant({ oidc }: GrantContext) {
    const grant = new oidc.provider.Grant({ accountId: oidc.session.accountId, clientId: oidc.client.clientId });
    grant.addOIDCScope('openid profile email groups offline_access');
    await grant.save();
    return grant;
  }
}

interface GrantContext {
  readonly oidc: {
    readonly provider: Provider;
    readonly session: { readonly accountId: string };
    readonly client: { readonly clientId: string };
  };
}

/** Replaces the provider's default logout page, which loads a font from another host. */
async function showLogoutPage(context: { body: string }, form: string): Promise<void> {
  const button = '<button form="op.logoutForm" name="logout" value="yes">Yes, sign me out</button>';
  context.body = `<!doctype html><title>Provider</title>${form}${button}`;
}

function loginOnly() {
  const policy = interactionPolicy.base();
  policy.remove('consent');
  return policy;
}
