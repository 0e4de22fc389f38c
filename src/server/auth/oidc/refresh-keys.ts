import { hash } from 'node:crypto';
import { flagAt, type JsonObject, parseTrustedJson, textAt, valueAt, writeJson } from '@flotilla/json';
import { type AccessKey, type AccessKeySpec, accessKeyKind } from '../../../api/management/v1/access-key.ts';
import type { IdentityLink } from '../../../api/management/v1/user.ts';
import { apiVersionOf } from '../../../api/meta.ts';
import { StatusError } from '../../../api/status.ts';
import { systemContext } from '../../../controlplane/system-context.ts';
import { hiddenConnectorData, hiddenOidcTokens } from '../../../management/access-keys/access-key-hidden.ts';
import { belongsToCurrentOwner } from '../../../management/access-keys/access-key-owner.ts';
import { connectorDataPurpose, oidcTokensPurpose } from '../../../management/access-keys/access-key-server-fields.ts';
import { isRefreshKey } from '../../../management/access-keys/login-keys.ts';
import type { ManagementState } from '../../../management/state.ts';
import type { RequestContext } from '../../../registry/context.ts';
import { type KindStores, storeOf } from '../../../registry/kind-stores.ts';
import type { Sealer } from '../../../seal/sealer.ts';

/** The secret part of a key of the type `OIDCRefreshToken`. */
export interface RefreshSecrets {
  readonly issuer: string;
  readonly refreshToken: string;
  readonly idToken?: string;
  /** False if the provider does not replace the token when it is used. Absent if that is not known yet. */
  readonly rotates?: boolean;
  /**
   * The start of a refresh whose result is not stored yet, in milliseconds since the epoch. If the server stopped
   * during the refresh, the provider may have replaced the token.
   */
  readonly startedAt?: number;
}

/** The visible part of a key of the type `OIDCRefreshToken`. */
export type RefreshKeySpec = Pick<AccessKeySpec, 'identity' | 'identityRefresh' | 'displayName'>;

export interface RefreshKeysOptions {
  readonly kinds: KindStores;
  readonly state: Pick<ManagementState, 'accessKey' | 'accessKeyHidden' | 'user' | 'team' | 'cluster'>;
  readonly sealer: Sealer;
}

const writing = { dryRun: false, fieldManager: 'flotilla', fieldValidation: 'Ignore' } as const;

/**
 * The keys of the type `OIDCRefreshToken`. An identity has at most one such key, whose name is derived from issuer and
 * subject. A new sign-in replaces the token in the key.
 */
export class RefreshKeys {
  readonly #options: RefreshKeysOptions;

  constructor(options: RefreshKeysOptions) {
    this.#options = options;
  }

  /** Returns the refresh key of an identity of this user; `undefined` if there is none. */
  find(link: IdentityLink, user: string): AccessKey | undefined {
    const key = this.#options.state.accessKey(refreshKeyName(link));
    const isOfUser = key?.spec?.user === user && key.metadata.deletionTimestamp === undefined;
    return isOfUser && isRefreshKey(key) && belongsToCurrentOwner(key, this.#options.state) ? key : undefined;
  }

  /** Returns the secrets of the key; `undefined` if they are missing. */
  secretsOf(key: AccessKey): RefreshSecrets | undefined {
    const { state, sealer } = this.#options;
    const hidden = state.accessKeyHidden(key.metadata.name ?? '');
    const { [hiddenOidcTokens]: tokens = '', [hiddenConnectorData]: data = '' } = hidden ?? {};
    if (tokens === '' || data === '') return undefined;
    const opened = parseTrustedJson(sealer.open(oidcTokensPurpose, tokens));
    const facts = parseTrustedJson(sealer.open(connectorDataPurpose, data));
    const [idToken, startedAt] = [textAt(opened, 'idToken'), valueAt(facts, 'startedAt')];
    return {
      issuer: textAt(facts, 'issuer'),
      refreshToken: textAt(opened, 'refreshToken'),
      ...(idToken === '' ? {} : { idToken }),
      ...(valueAt(facts, 'rotates') === undefined ? {} : { rotates: flagAt(facts, 'rotates') }),
      ...(typeof startedAt === 'number' ? { startedAt } : {}),
    };
  }

  /** Stores the token of a new sign-in. Returns the name of the key. */
  async store(
    { link, user }: { readonly link: IdentityLink; readonly user: string },
    spec: RefreshKeySpec,
    secrets: RefreshSecrets,
  ): Promise<string> {
    const name = refreshKeyName(link);
    const { state, kinds } = this.#options;
    for (let attempt = 0; attempt < 5; attempt++) {
      try {
        if (this.find(link, user) !== undefined) {
          await this.write(name, { spec, secrets }, systemContext(''));
          return name;
        }
        const before = state.accessKey(name);
        // The existing key belongs to a deleted user, or to the user that had this identity earlier.
        if (before !== undefined) await this.remove(before, systemContext(''));
        const key: AccessKey = {
          apiVersion: apiVersionOf(accessKeyKind),
          kind: accessKeyKind.kind,
          metadata: { name },
          spec: { user, type: 'OIDCRefreshToken', disabled: true },
        };
        await storeOf(kinds, accessKeyKind).verbs.create(systemContext(''), key, writing);
        await this.write(name, { spec, secrets }, systemContext(''));
        return name;
      } catch (error) {
        // Another sign-in with this identity created or removed the key at the same time.
        if (!(error instanceof StatusError) || (error.code !== 409 && error.code !== 404)) throw error;
      }
    }
    throw new Error('the refresh token of a sign-in could not be stored because of concurrent sign-ins');
  }

  /**
   * Replaces the values of a key and returns its new resourceVersion. If `expected` is given and is not the current
   * resourceVersion, rejects with 409.
   */
  async write(
    name: string,
    { spec, secrets }: { readonly spec: RefreshKeySpec; readonly secrets: RefreshSecrets },
    context: RequestContext,
    expected?: string,
  ): Promise<string> {
    const metadata = expected === undefined ? {} : { metadata: { resourceVersion: expected } };
    const document = { ...metadata, spec: specOf(spec, secrets) };
    const { object } = await storeOf(this.#options.kinds, accessKeyKind).verbs.patch(
      context,
      name,
      { type: 'merge', document, findings: [] },
      { ...writing, force: false },
    );
    return object.metadata.resourceVersion ?? '';
  }

  /** Removes a key, unless a newer sign-in has replaced its token since the given version of the key. */
  async remove({ metadata }: AccessKey, context: RequestContext): Promise<void> {
    const { name = '', uid = '', resourceVersion = '' } = metadata;
    const preconditions = { uid, resourceVersion };
    const how = { dryRun: false, gracePeriodSeconds: undefined, propagationPolicy: undefined, preconditions };
    try {
      await storeOf(this.#options.kinds, accessKeyKind).verbs.delete(context, name, how);
    } catch (error) {
      if (!(error instanceof StatusError) || (error.code !== 404 && error.code !== 409)) throw error;
    }
  }
}

function refreshKeyName({ issuer, subject }: IdentityLink): string {
  return `oidc-${hash('sha256', JSON.stringify([issuer, subject]), 'hex').slice(0, 32)}`;
}

/**
 * Returns the value of `spec.identity` for a merge patch. Null in this value removes a field that the provider no
 * longer reports.
 */
export function identityPatch(identity: AccessKeySpec['identity']): JsonObject {
  return { preferredUsername: null, email: null, ...identity };
}

function specOf({ identity, ...others }: RefreshKeySpec, { refreshToken, idToken, ...facts }: RefreshSecrets) {
  return {
    ...others,
    identity: { ...identityPatch(identity), connectorData: writeJson({ ...facts }) },
    oidcLogin: { refreshToken, ...(idToken === undefined ? {} : { idToken }) },
  };
}
