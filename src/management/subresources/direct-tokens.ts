import { randomUUID } from 'node:crypto';
import { type JsonObject, numberAt, objectAt, writeJson } from '@flotilla/json';
import { type FieldError, invalid, tooLong } from '../../api/field-error.ts';
import { directClusterEndpointTokenKind } from '../../api/management/v1/direct-cluster-endpoint-token.ts';
import type { Scope } from '../../api/management/v1/scope.ts';
import type { KubeObject } from '../../api/meta.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { validateSchema } from '../../api/schema/validate.ts';
import { forbidden, invalidObject } from '../../api/status.ts';
import { type DirectTokenClaims, signDirectToken, type TokenSigner } from '../../auth/direct-token.ts';
import { keyFingerprint } from '../../auth/key-state.ts';
import { maxDirectTokenLength } from '../../auth/verify-direct-token.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import { scopeErrors } from '../rules/scope-errors.ts';
import { computedObject } from './computed-object.ts';
import { requestingKeyScopes, requireRequestingKey, tokenExpiry, tokenGroups } from './requesting-key.ts';

export interface DirectTokensOptions extends Pick<ManagementDependencies, 'state' | 'settings' | 'clock'> {
  /** The unique ID of this installation, which is the issuer of the tokens. Clients read it from `selves`. */
  readonly instanceId: string;
  /** Returns the current signing key of the installation. */
  signer(): TokenSigner;
}

const kind = directClusterEndpointTokenKind;

/** Maximum size in bytes of the scopes in a token, as JSON. A token must fit into a request header. */
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
        const scopes = tokenScopes(sent, context, options);
        throwIfInvalid(name, [
          ...validateSchema(kind.schema, sent, ''),
          ...ttlErrors(sent, options),
          ...scopeErrors(objectAt(sent, 'spec', 'scope'), 'spec.scope'),
          ...sizeErrors(scopes),
        ]);
        const token = await signDirectToken(options.signer(), claimsOf(sent, scopes, context, options));
        throwIfInvalid(
          name,
          token.length > maxDirectTokenLength ? [tooLong('status.token', maxDirectTokenLength)] : [],
        );
        return computedObject(kind, sent.metadata, {
          spec: objectAt(sent, 'spec') ?? {},
          ...(dryRun ? {} : { status: { token } }),
        });
      },
    },
    subresources: {},
  };
}

function throwIfInvalid(name: string, errors: readonly FieldError[]): void {
  // Only the first error of each field is reported. A value that is not a number gets no second error for its size.
  const distinct = errors.filter(({ field }, index) => errors.findIndex((other) => other.field === field) === index);
  if (distinct.length > 0) throw invalidObject(kind, name, distinct);
}

function ttlErrors(sent: KubeObject, { settings }: DirectTokensOptions): FieldError[] {
  const ttl = numberAt(sent, 'spec', 'ttl');
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
 * Returns the requested scope and the scopes of the access key. All of them must allow a request, so the token allows
 * no more than its access key.
 */
function tokenScopes(sent: KubeObject, context: RequestContext, { state }: DirectTokensOptions): JsonObject[] {
  const own = objectAt(sent, 'spec', 'scope');
  return [...(own === undefined ? [] : [own]), ...requestingKeyScopes(context, state)];
}

function claimsOf(
  sent: KubeObject,
  scopes: readonly Scope[],
  context: RequestContext,
  { state, settings, clock, instanceId }: DirectTokensOptions,
): DirectTokenClaims {
  const now = clock.now();
  const found = requireRequestingKey(context, state, now, (detail) => refusal(sent, detail));
  const issuedAt = Math.floor(now / 1000);
  return {
    issuer: instanceId,
    subject: context.user.name,
    groups: tokenGroups(context.user),
    scopes,
    accessKey: { name: found.name, uid: found.uid, mark: keyFingerprint(found) },
    issuedAt,
    expiresAt: tokenExpiry(context, found, issuedAt, numberAt(sent, 'spec', 'ttl') ?? settings.directTokens.defaultTTL),
    id: randomUUID(),
  };
}

function refusal(sent: KubeObject, detail: string): Error {
  return forbidden(groupResourceOf(kind), sent.metadata.name ?? '', detail);
}
