import { randomUUID } from 'node:crypto';
import { writeJson } from '@flotilla/json';
import { type FieldError, invalid, tooLong } from '../../api/field-error.ts';
import {
  type DirectClusterEndpointToken,
  directClusterEndpointTokenKind,
} from '../../api/management/v1/direct-cluster-endpoint-token.ts';
import type { Scope } from '../../api/management/v1/scope.ts';
import type { KubeObject, TypedObject } from '../../api/meta.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { forbidden, invalidObject } from '../../api/status.ts';
import { type DirectTokenClaims, signDirectToken, type TokenSigner } from '../../auth/direct-token.ts';
import { keyFingerprint } from '../../auth/key-state.ts';
import { maxDirectTokenLength } from '../../auth/verify-direct-token.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import { scopeErrors } from '../rules/scope-errors.ts';
import { computedObject } from './computed-object.ts';
import { readRequestBody } from './request-body.ts';
import { requestingKeyScopes, requireRequestingKey, tokenExpiry, tokenGroups } from './requesting-key.ts';

export interface DirectTokensOptions extends Pick<ManagementDependencies, 'state' | 'settings' | 'clock'> {
  /** The unique ID of this installation, which is the issuer of the tokens. Clients read it from `selves`. */
  readonly instanceId: string;
  /** Returns the current signing key of the installation. */
  signer(): TokenSigner;
}

const kind = directClusterEndpointTokenKind;

type TokenSpec = NonNullable<DirectClusterEndpointToken['spec']>;

/**
 * Maximum size of the scopes in a token, in bytes of JSON. It is limited because a token must fit into a request
 * header.
 */
const maxScopeBytes = 8 * 1024;

/**
 * POST `directclusterendpointtokens`: returns a direct-endpoint token for the caller. Stores nothing (completions §6).
 */
export function directClusterEndpointTokens(options: DirectTokensOptions): MountedResource {
  return {
    kind,
    verbs: {
      async create(context, sent, { dryRun }) {
        const name = sent.metadata.name ?? '';
        const { body, errors } = readRequestBody(kind, sent);
        const { spec = {} } = body;
        const scopes = tokenScopes(spec, context, options);
        throwIfInvalid(name, [
          ...errors,
          ...ttlErrors(spec, options),
          ...scopeErrors(spec.scope, 'spec.scope'),
          ...sizeErrors(scopes),
        ]);
        const token = await signDirectToken(options.signer(), claimsOf(body, scopes, context, options));
        throwIfInvalid(
          name,
          token.length > maxDirectTokenLength ? [tooLong('status.token', maxDirectTokenLength)] : [],
        );
        return computedObject(kind, sent.metadata, {
          spec,
          ...(dryRun ? {} : { status: { token } }),
        });
      },
    },
    subresources: {},
  };
}

function throwIfInvalid(name: string, errors: readonly FieldError[]): void {
  // Only the first error of each field is reported, so a value that is not a number gets no second error about its
  // size.
  const distinct = errors.filter(({ field }, index) => errors.findIndex((other) => other.field === field) === index);
  if (distinct.length > 0) throw invalidObject(kind, name, distinct);
}

/**
 * Returns the requested lifetime in seconds. The JSON parser returns integers beyond 2^53 as bigint, so the value is
 * converted.
 */
function ttlIn({ ttl }: TokenSpec): number | undefined {
  return ttl === undefined ? undefined : Number(ttl);
}

function ttlErrors(spec: TokenSpec, { settings }: DirectTokensOptions): FieldError[] {
  const ttl = ttlIn(spec);
  const { maxTTL } = settings.directTokens;
  if (ttl === undefined) return [];
  if (ttl <= 0) return [invalid('spec.ttl', ttl, 'must be greater than 0')];
  if (ttl <= maxTTL) return [];
  return [invalid('spec.ttl', ttl, `must be less than or equal to ${maxTTL}, the maximum of this server`)];
}

function sizeErrors(scopes: readonly Scope[]): FieldError[] {
  const bytes = Buffer.byteLength(writeJson([...scopes]));
  return bytes <= maxScopeBytes ? [] : [tooLong('spec.scope', maxScopeBytes)];
}

/**
 * Returns the requested scope and the scopes of the access key. A request is allowed only if all of these scopes allow
 * it, so the token allows no more than the access key.
 */
function tokenScopes({ scope: own }: TokenSpec, context: RequestContext, { state }: DirectTokensOptions): Scope[] {
  return [...(own === undefined || own === null ? [] : [own]), ...requestingKeyScopes(context, state)];
}

function claimsOf(
  body: TypedObject<DirectClusterEndpointToken>,
  scopes: readonly Scope[],
  context: RequestContext,
  { state, settings, clock, instanceId }: DirectTokensOptions,
): DirectTokenClaims {
  const now = clock.now();
  const found = requireRequestingKey(context, state, now, (detail) => refusal(body, detail));
  const issuedAt = Math.floor(now / 1000);
  return {
    issuer: instanceId,
    subject: context.user.name,
    groups: tokenGroups(context.user),
    scopes,
    accessKey: { name: found.name, uid: found.uid, mark: keyFingerprint(found) },
    issuedAt,
    expiresAt: tokenExpiry(context, found, issuedAt, ttlIn(body.spec ?? {}) ?? settings.directTokens.defaultTTL),
    id: randomUUID(),
  };
}

function refusal({ metadata }: Pick<KubeObject, 'metadata'>, detail: string): Error {
  return forbidden(groupResourceOf(kind), metadata.name ?? '', detail);
}
