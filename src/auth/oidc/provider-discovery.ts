import { readFile } from 'node:fs/promises';
import type { JWTVerifyGetKey } from 'jose';
import type { ServerMetadata } from 'openid-client';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type ConnectorSettings, ProviderError } from './connector.ts';
import { providerErrorOf } from './provider-errors.ts';
import { assertProtocol, openProviderFetch, type ProviderFetch } from './provider-fetch.ts';

/**
 * The signature algorithms of ID tokens that are accepted. Only the private key of the provider can create such
 * signatures.
 */
export const signatureAlgorithms: readonly string[] = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** A provider as its discovery document describes it. */
export interface DiscoveredProvider {
  readonly metadata: ServerMetadata;
  readonly fetch: ProviderFetch['fetch'];
  /** Finds the public key for a token. Fetches the keys again if the token's key is unknown. */
  readonly keys: JWTVerifyGetKey;
}

export interface ProviderDiscoveryOptions {
  readonly settings: Pick<ConnectorSettings, 'name' | 'issuer' | 'clientId' | 'caFile'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The age at which the discovery document is fetched again. Until the new document arrives, requests use the old one.
 */
const renewAfterMilliseconds = 10 * 60_000;

/**
 * The time after a failure during which no new attempt is made. Everybody can start a sign-in. Without this pause,
 * anybody could make this server send requests to a provider that does not answer.
 */
const retryAfterMilliseconds = 3_000;

/**
 * The time, in milliseconds, after which replaced connections, which use an older CA file, are closed. By then, every
 * sign-in that uses them has ended.
 */
const replacedMilliseconds = 60_000;

/**
 * The limits of the key cache. A key that the provider removed is accepted for at most five minutes. An unknown key is
 * looked up at once: only tokens that the provider itself sent are verified, so nobody else can cause these requests.
 */
const keysLimits = { cacheMaxAge: 5 * 60_000, cooldownDuration: 0, timeoutDuration: 10_000 };

/**
 * The discovery document of one provider. It is fetched when it is first needed, so the server can start even if a
 * provider is down. Concurrent requests share one fetch.
 */
export class ProviderDiscovery {
  readonly #options: ProviderDiscoveryOptions;
  #found: { readonly provider: DiscoveredProvider; readonly at: number } | undefined;
  #failure: { readonly error: ProviderError; readonly at: number } | undefined;
  #running: Promise<DiscoveredProvider> | undefined;
  #current: { readonly ca: string | undefined; readonly connections: ProviderFetch } | undefined;
  /** All connections that are not closed: the current ones, and replaced ones that may still be in use. */
  readonly #open = new Set<ProviderFetch>();

  constructor(options: ProviderDiscoveryOptions) {
    this.#options = options;
  }

  /** Returns the provider. Rejects with a ProviderError. */
  async get(): Promise<DiscoveredProvider> {
    const now = this.#options.clock.elapsed();
    const hasFailed = this.#failure !== undefined && now - this.#failure.at < retryAfterMilliseconds;
    if (this.#found !== undefined) {
      if (now - this.#found.at >= renewAfterMilliseconds && !hasFailed) this.#discover().catch(() => {});
      return this.#found.provider;
    }
    if (hasFailed && this.#failure !== undefined) throw this.#failure.error;
    return await this.#discover();
  }

  /** Ends all requests to the provider. */
  async close(): Promise<void> {
    await Promise.all([...this.#open].map((connections) => connections.close()));
    await this.#running?.catch(() => {});
  }

  #discover(): Promise<DiscoveredProvider> {
    this.#running ??= this.#attempt().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #attempt(): Promise<DiscoveredProvider> {
    const { clock, log, settings } = this.#options;
    try {
      const { fetch } = await this.#connect();
      const provider = await discover(settings, fetch);
      this.#found = { provider, at: clock.elapsed() };
      this.#failure = undefined;
      return provider;
    } catch (cause) {
      const error = providerErrorOf(cause, 'Rejected');
      this.#failure = { error: new ProviderError('Unavailable', error.message, { cause }), at: clock.elapsed() };
      log.warn(
        { connector: settings.name, problem: error.message },
        'cannot read the discovery document of a provider',
      );
      throw this.#failure.error;
    }
  }

  /** Reads the CA file each time, so that a replaced file takes effect with the next renewal. */
  async #connect(): Promise<ProviderFetch> {
    const { clock, settings } = this.#options;
    const { issuer, caFile } = settings;
    const ca = caFile === undefined ? undefined : await readFile(caFile, 'utf8');
    const before = this.#current;
    if (before !== undefined && before.ca === ca) return before.connections;
    const connections = await openProviderFetch({ issuer, ...(ca === undefined ? {} : { ca }) });
    this.#current = { ca, connections };
    this.#open.add(connections);
    if (before !== undefined) clock.after(replacedMilliseconds, () => this.#closeReplaced(before.connections));
    return connections;
  }

  #closeReplaced(connections: ProviderFetch): void {
    this.#open.delete(connections);
    connections.close().catch(() => {});
  }
}

async function discover(
  { issuer, clientId }: ProviderDiscoveryOptions['settings'],
  fetch: ProviderFetch['fetch'],
): Promise<DiscoveredProvider> {
  // Loaded on demand, because many servers have no connectors.
  const [openid, jose] = await Promise.all([import('openid-client'), import('jose')]);
  const isPlain = issuer.startsWith('http:');
  const configuration = await openid.discovery(new URL(issuer), clientId, undefined, undefined, {
    [openid.customFetch]: fetch,
    execute: isPlain ? [openid.allowInsecureRequests] : [],
    timeout: 10,
  });
  const metadata = checkedMetadata(configuration.serverMetadata(), issuer);
  const keys = jose.createRemoteJWKSet(new URL(metadata.jwks_uri ?? ''), {
    ...keysLimits,
    [jose.customFetch]: (url: string, request: object) => fetch(url, request),
  });
  return { metadata, fetch, keys };
}

const requiredEndpoints = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;
const optionalEndpoints = ['userinfo_endpoint', 'end_session_endpoint'] as const;

/** Returns the parts of a discovery document that this server uses. Throws ProviderError if one of them is unusable. */
function checkedMetadata(found: ServerMetadata, issuer: string): ServerMetadata {
  // A person is identified by issuer and subject, so only one spelling of the issuer is accepted.
  if (found.issuer !== issuer) {
    throw new ProviderError(
      'Unavailable',
      `the discovery document has the issuer ${JSON.stringify(String(found.issuer).slice(0, 300))}; set auth.oidc[].issuer to exactly that`,
    );
  }
  const endpoints: Record<string, string> = {};
  for (const name of [...requiredEndpoints, ...optionalEndpoints]) {
    const url = found[name];
    if (typeof url === 'string' && URL.canParse(url)) {
      assertProtocol(new URL(url), new URL(issuer));
      endpoints[name] = url;
    } else if (url !== undefined || requiredEndpoints.some((required) => required === name)) {
      throw new ProviderError('Unavailable', `the discovery document has no usable "${name}"`);
    }
  }
  const algorithms = textsOf(found.id_token_signing_alg_values_supported) ?? ['RS256'];
  return {
    issuer,
    ...endpoints,
    id_token_signing_alg_values_supported: algorithms.filter((algorithm) => signatureAlgorithms.includes(algorithm)),
    authorization_response_iss_parameter_supported: found.authorization_response_iss_parameter_supported === true,
    ...texts('scopes_supported', found.scopes_supported),
    ...texts('token_endpoint_auth_methods_supported', found.token_endpoint_auth_methods_supported),
  };
}

function texts(name: string, value: unknown): Readonly<Record<string, string[]>> {
  const list = textsOf(value);
  return list === undefined ? {} : { [name]: list };
}

function textsOf(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : undefined;
}
