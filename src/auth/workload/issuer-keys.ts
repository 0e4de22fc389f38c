import { readFile } from 'node:fs/promises';
import { isJsonObject, type JsonObject, listAt, textAt } from '@flotilla/json';
import { createLocalJWKSet, type JWK } from 'jose';
import type { Clock } from '../../lib/clock.ts';
import { ProviderError } from '../oidc/connector.ts';
import { openProviderFetch, type ProviderFetch } from '../oidc/provider-fetch.ts';
import type { WorkloadIssuer } from './workload-issuer.ts';

/** The function with which `jose` finds the key of a token. */
export type KeySet = ReturnType<typeof createLocalJWKSet>;

/** A key set is loaded again after this time, so that keys that the issuer withdraws are rejected. */
const maxAge = 10 * 60_000;
/**
 * The minimum time between two loads, in milliseconds. Without it, anyone could cause many requests to the issuer, by
 * sending tokens with unknown keys, or by sending tokens when the issuer does not respond.
 */
const cooldown = 30_000;
/** The longest time for which an old key set is used if the issuer does not respond. */
const maxStaleness = 60 * 60_000;
/** The maximum number of keys. No issuer has that many. */
const maxKeys = 100;

interface LoadedKeys {
  readonly keys: KeySet;
  readonly at: number;
}

/** The cached key set of one issuer. Concurrent requests share one load. */
export class IssuerKeys {
  readonly #issuer: WorkloadIssuer;
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #closing: AbortSignal;
  #loaded: LoadedKeys | undefined;
  #attemptedAt = Number.NEGATIVE_INFINITY;
  #lastError: ProviderError | undefined;
  #loading: Promise<KeySet> | undefined;

  constructor(issuer: WorkloadIssuer, clock: Pick<Clock, 'elapsed'>, closing: AbortSignal) {
    this.#issuer = issuer;
    this.#clock = clock;
    this.#closing = closing;
  }

  /** Returns the keys, and loads them if they are old. Rejects with a `ProviderError`. */
  async current(): Promise<KeySet> {
    const age = this.#age();
    if (this.#loaded !== undefined && age <= maxAge) return this.#loaded.keys;
    try {
      return await this.#load();
    } catch (error) {
      if (this.#loaded !== undefined && age <= maxStaleness) return this.#loaded.keys;
      throw error;
    }
  }

  /** Loads the keys again for a token whose key is unknown. Returns the known keys if they were loaded recently. */
  async newer(): Promise<KeySet> {
    if (this.#loaded !== undefined && this.#loading === undefined && this.#isCoolingDown()) return this.#loaded.keys;
    return await this.#load();
  }

  #age(): number {
    return this.#loaded === undefined ? Number.POSITIVE_INFINITY : this.#clock.elapsed() - this.#loaded.at;
  }

  #isCoolingDown(): boolean {
    return this.#clock.elapsed() - this.#attemptedAt < cooldown;
  }

  #load(): Promise<KeySet> {
    if (this.#loading !== undefined) return this.#loading;
    if (this.#lastError !== undefined && this.#isCoolingDown()) return Promise.reject(this.#lastError);
    this.#attemptedAt = this.#clock.elapsed();
    this.#loading = this.#fetch().then(
      (keys) => {
        this.#loaded = { keys, at: this.#clock.elapsed() };
        this.#lastError = undefined;
        return keys;
      },
      (error: unknown) => {
        this.#lastError = error instanceof ProviderError ? error : unavailable(this.#issuer, 'cannot be read', error);
        throw this.#lastError;
      },
    );
    const loading = this.#loading;
    const forget = () => {
      this.#loading = undefined;
    };
    loading.then(forget, forget);
    return loading;
  }

  async #fetch(): Promise<KeySet> {
    const { issuer, jwksUri, jwksFile, caFile } = this.#issuer;
    if (jwksFile !== undefined) return keySetIn(this.#issuer, parsed(await readFile(jwksFile, 'utf8')));
    // The files are read with each load, so that replaced certificates need no restart.
    const ca = caFile === undefined ? {} : { ca: await readFile(caFile, 'utf8') };
    // An administrator chooses the host of `jwksUri` and the host of the issuer, so their addresses are not restricted.
    const connection = await openProviderFetch({ issuer: jwksUri ?? issuer, ...ca });
    try {
      const uri = jwksUri ?? (await this.#discover(connection));
      return keySetIn(this.#issuer, await this.#document(connection, uri));
    } finally {
      await connection.close();
    }
  }

  async #discover(connection: ProviderFetch): Promise<string> {
    const { issuer } = this.#issuer;
    const document = await this.#document(connection, `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    // Refuse a document that does not name the expected issuer. Otherwise, a document of an issuer that this server
    // does not trust could determine the keys.
    if (document.issuer !== issuer)
      throw unavailable(this.#issuer, 'has a discovery document whose issuer is another one');
    const uri = textAt(document, 'jwks_uri');
    if (!URL.canParse(uri)) throw unavailable(this.#issuer, 'has a discovery document without a usable "jwks_uri"');
    return uri;
  }

  async #document({ fetch }: ProviderFetch, url: string): Promise<JsonObject> {
    // Kubernetes serves its keys only to clients that accept `application/jwk-set+json`.
    const headers = { accept: 'application/json, application/jwk-set+json' };
    const response = await fetch(url, { headers, signal: this.#closing });
    if (response.status !== 200) throw unavailable(this.#issuer, `responded with ${response.status} at ${url}`);
    return parsed(await response.text());
  }
}

function keySetIn(issuer: WorkloadIssuer, document: JsonObject): KeySet {
  const keys = listAt(document, 'keys').filter(isJsonObject).filter(isPublicKey);
  if (keys.length === 0) throw unavailable(issuer, 'has a key set without usable keys');
  if (keys.length > maxKeys) throw unavailable(issuer, `has a key set with more than ${maxKeys} keys`);
  return createLocalJWKSet({ keys: keys as JWK[] });
}

/**
 * True for an asymmetric signature key with an ID. Keys without an ID are not used, because a token must name the key
 * that signed it.
 */
function isPublicKey(key: JsonObject): boolean {
  const isSignature = key.use === undefined || key.use === 'sig';
  return isSignature && ['RSA', 'EC', 'OKP'].includes(textAt(key, 'kty')) && textAt(key, 'kid') !== '';
}

function parsed(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? value : {};
}

function unavailable({ name }: WorkloadIssuer, why: string, cause?: unknown): ProviderError {
  return new ProviderError('Unavailable', `the issuer ${name} ${why}`, { cause });
}
