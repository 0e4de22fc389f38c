import { readFile } from 'node:fs/promises';
import type { JWTPayload } from 'jose';
import type { ClientAuth, Configuration, ServerMetadata } from 'openid-client';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { unlessAborted } from '../../lib/unless-aborted.ts';
import { reasonNotAllowed } from './allowed-identity.ts';
import { type ConnectorSettings, type OidcConnector, type PendingSignIn, ProviderError } from './connector.ts';
import { type Claims, hasIdentityClaims, identityFromClaims, withUserinfo } from './identity-claims.ts';
import { type DiscoveredProvider, ProviderDiscovery, signatureAlgorithms } from './provider-discovery.ts';
import { providerErrorOf } from './provider-errors.ts';
import type { ProviderRequest } from './provider-fetch.ts';
import type { ProviderIdentity, ProviderLogin } from './provider-identity.ts';

/** The tolerated difference, in seconds, between the clocks of this server and a provider. */
const clockToleranceSeconds = 60;

/** The length above which an ID token is left out of the URL of a sign-out, because servers refuse long URLs. */
const maxHintLength = 4096;

/** The time within which all requests to the provider for one sign-in or refresh must have ended. */
const operationMilliseconds = 20_000;

export interface ConnectorOptions {
  readonly settings: ConnectorSettings;
  readonly clock: Clock;
  readonly log: Log;
}

/** A connector that can be closed. `close` ends its connections. */
export interface OpenConnector extends OidcConnector {
  close(): Promise<void>;
}

/** Opens a connector. No request is sent before the first sign-in. */
export function openConnector(options: ConnectorOptions): OpenConnector {
  return new DiscoveringConnector(options);
}

type Tokens = Awaited<ReturnType<typeof import('openid-client').refreshTokenGrant>>;

class DiscoveringConnector implements OpenConnector {
  readonly settings: ConnectorSettings;
  readonly #discovery: ProviderDiscovery;

  constructor({ settings, clock, log }: ConnectorOptions) {
    this.settings = settings;
    this.#discovery = new ProviderDiscovery({ settings, clock, log });
  }

  close(): Promise<void> {
    return this.#discovery.close();
  }

  start(redirectUri: string, signal: AbortSignal): Promise<{ readonly url: URL; readonly pending: PendingSignIn }> {
    return this.#withProvider(signal, 'Rejected', async (provider, limit) => {
      const openid = await import('openid-client');
      const configuration = await this.#configuration(provider, limit);
      const codeVerifier = openid.randomPKCECodeVerifier();
      const state = openid.randomState();
      const nonce = openid.randomNonce();
      const url = openid.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: this.#scopes(provider.metadata).join(' '),
        code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      });
      return { url, pending: { connector: this.settings.name, state, nonce, codeVerifier } };
    });
  }

  finish(pending: PendingSignIn, callback: URL, signal: AbortSignal): Promise<ProviderLogin> {
    return this.#withProvider(signal, 'Rejected', async (provider, limit) => {
      const openid = await import('openid-client');
      const configuration = await this.#configuration(provider, limit);
      const tokens = await openid.authorizationCodeGrant(configuration, callback, {
        pkceCodeVerifier: pending.codeVerifier,
        expectedState: pending.state,
        expectedNonce: pending.nonce,
        idTokenExpected: true,
      });
      const claims = await this.#verifiedClaims(provider, tokens.id_token ?? '');
      const identity = await this.#identity(configuration, tokens, claims);
      const why = reasonNotAllowed(identity, this.settings);
      if (why !== undefined) throw new ProviderError('NotAllowed', `"${identity.subject}": ${why}`);
      return loginOf(identity, tokens, undefined);
    });
  }

  async refresh(
    { subject, refreshToken }: { readonly subject: string; readonly refreshToken: string },
    signal: AbortSignal,
  ): Promise<ProviderLogin> {
    let isTokenUsed = false;
    const refreshing = this.#withProvider(signal, 'Gone', async (provider, limit) => {
      const openid = await import('openid-client');
      const configuration = await this.#configuration(provider, limit);
      const tokens = await openid.refreshTokenGrant(configuration, refreshToken);
      isTokenUsed = true;
      // The response to a refresh may contain no ID token. The claims then come from the userinfo endpoint.
      const claims =
        tokens.id_token === undefined ? { sub: subject } : await this.#verifiedClaims(provider, tokens.id_token);
      if (claims.sub !== subject) throw new ProviderError('Rejected', 'the refreshed login belongs to another subject');
      if (tokens.id_token === undefined && provider.metadata.userinfo_endpoint === undefined) {
        throw new ProviderError('Rejected', 'the provider sent no ID token and has no userinfo endpoint');
      }
      const identity = await this.#identity(configuration, tokens, claims);
      const why = reasonNotAllowed(identity, this.settings);
      if (why !== undefined) throw new ProviderError('Gone', `"${subject}" may no longer sign in: ${why}`);
      return loginOf(identity, tokens, refreshToken);
    });
    return await refreshing.catch((error: unknown) => {
      if (!isTokenUsed || !(error instanceof ProviderError)) throw error;
      // The response may contain a new refresh token, which is lost because the response cannot be used. The outcome is
      // therefore unknown.
      throw new ProviderError(error.reason, error.message, { cause: error, isOutcomeUnknown: true });
    });
  }

  signOutUrl(idToken: string | undefined, returnTo: string, signal: AbortSignal): Promise<URL | undefined> {
    return this.#withProvider(signal, 'Rejected', async (provider, limit) => {
      if (provider.metadata.end_session_endpoint === undefined) return undefined;
      const openid = await import('openid-client');
      return openid.buildEndSessionUrl(await this.#configuration(provider, limit), {
        post_logout_redirect_uri: returnTo,
        ...(idToken === undefined || idToken.length > maxHintLength ? {} : { id_token_hint: idToken }),
      });
    });
  }

  /**
   * Runs an operation with a time limit. Rejects with a ProviderError, even if the caller's signal aborted the
   * operation.
   */
  async #withProvider<T>(
    signal: AbortSignal,
    whenGone: 'Rejected' | 'Gone',
    run: (provider: DiscoveredProvider, limit: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(operationMilliseconds)]);
    try {
      limit.throwIfAborted();
      const provider = await unlessAborted(this.#discovery.get(), limit);
      return await unlessAborted(run(provider, limit), limit);
    } catch (error) {
      if (limit.aborted)
        throw new ProviderError('Unavailable', 'the provider did not answer in time', {
          cause: error,
          isOutcomeUnknown: true,
        });
      throw providerErrorOf(error, whenGone);
    }
  }

  /**
   * Returns the configuration of the library for one operation. The requests of the operation end when `limit` aborts.
   */
  async #configuration({ metadata, fetch }: DiscoveredProvider, limit: AbortSignal): Promise<Configuration> {
    const openid = await import('openid-client');
    const { clientId, issuer } = this.settings;
    const configuration = new openid.Configuration(
      metadata,
      clientId,
      { [openid.clockTolerance]: clockToleranceSeconds },
      await this.#clientAuthentication(metadata),
    );
    if (issuer.startsWith('http:')) openid.allowInsecureRequests(configuration);
    configuration[openid.customFetch] = (url: string, request: ProviderRequest) =>
      fetch(url, { ...request, signal: request.signal ? AbortSignal.any([request.signal, limit]) : limit });
    return configuration;
  }

  /** The secret is read when it is needed, so that a replaced file takes effect at once. */
  async #clientAuthentication({ token_endpoint_auth_methods_supported: methods }: ServerMetadata): Promise<ClientAuth> {
    const { ClientSecretBasic, ClientSecretPost, None } = await import('openid-client');
    const { clientSecretFile } = this.settings;
    if (clientSecretFile === undefined) return None();
    const authentication =
      methods?.includes('client_secret_basic') === false && methods.includes('client_secret_post')
        ? ClientSecretPost
        : ClientSecretBasic;
    return async (server, client, body, headers) => {
      const secret = await readFile(clientSecretFile, 'utf8').catch((cause: unknown) => {
        throw new ProviderError('Unavailable', 'cannot read the file "clientSecretFile" of the connector', { cause });
      });
      await authentication(secret.trim())(server, client, body, headers);
    };
  }

  /**
   * Returns the scopes to request. Omits `offline_access`, the scope for refresh tokens, if the provider's list of
   * supported scopes does not contain it, because providers such as Google then refuse the request.
   */
  #scopes({ scopes_supported: supported }: ServerMetadata): readonly string[] {
    return this.settings.scopes.filter((scope) => scope !== 'offline_access' || supported?.includes(scope) !== false);
  }

  /** Verifies the signature of an ID token, and repeats the checks of its issuer, audience and times. */
  async #verifiedClaims({ keys }: DiscoveredProvider, idToken: string): Promise<Claims> {
    const { jwtVerify } = await import('jose');
    const { issuer, clientId } = this.settings;
    const { payload } = await jwtVerify(idToken, keys, {
      algorithms: [...signatureAlgorithms],
      issuer,
      audience: clientId,
      clockTolerance: clockToleranceSeconds,
      requiredClaims: ['exp', 'iat', 'sub'],
    });
    assertForThisClient(payload, clientId);
    return payload;
  }

  async #identity(configuration: Configuration, tokens: Tokens, claims: Claims): Promise<ProviderIdentity> {
    const { settings } = this;
    const hasUserinfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
    if (hasIdentityClaims(claims, settings) || !hasUserinfo) return identityFromClaims(claims, settings);
    const { fetchUserInfo } = await import('openid-client');
    const userinfo: Claims = await fetchUserInfo(configuration, tokens.access_token, String(claims.sub));
    return identityFromClaims(withUserinfo(claims, userinfo), settings);
  }
}

function assertForThisClient({ azp, iat = 0 }: JWTPayload, clientId: string): void {
  if (azp !== undefined && azp !== clientId) {
    throw new ProviderError('Rejected', 'the ID token was issued for another client (claim "azp")');
  }
  if (iat > Date.now() / 1000 + clockToleranceSeconds) {
    throw new ProviderError('Rejected', 'the ID token was issued in the future (claim "iat"); compare the clocks');
  }
}

function loginOf(identity: ProviderIdentity, tokens: Tokens, previousToken: string | undefined): ProviderLogin {
  const refreshToken = tokens.refresh_token ?? previousToken;
  return {
    identity,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(tokens.id_token === undefined ? {} : { idToken: tokens.id_token }),
  };
}
