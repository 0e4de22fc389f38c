import { type JsonObject, type JsonValue, numberAt, objectAt, textAt, textsAt } from '@flotilla/json';
import { secretKind } from '../../../api/core/secret.ts';
import { serviceAccountKind } from '../../../api/core/service-account.ts';
import { tokenRequestKind } from '../../../api/core/token-request.ts';
import { type FieldError, invalid } from '../../../api/field-error.ts';
import { type KubeObject, parseApiVersion, timestamp } from '../../../api/meta.ts';
import { groupResourceOf } from '../../../api/resource.ts';
import { badRequest, conflict, invalidObject, notFound } from '../../../api/status.ts';
import type { Clock } from '../../../lib/clock.ts';
import { toServedObject } from '../../../registry/cache/served.ts';
import type { RequestContext } from '../../../registry/context.ts';
import type { KindStore } from '../../../registry/kind-store.ts';
import type { MountedSubresource } from '../../../registry/mounted-resource.ts';
import type { AccountTokens } from './account-tokens.ts';

export interface TokenRequestOptions {
  readonly accounts: Pick<KindStore, 'peek'>;
  readonly secrets: Pick<KindStore, 'peek'>;
  readonly tokens: AccountTokens;
  readonly clock: Clock;
  /** The maximum lifetime of a token, in seconds. A longer requested lifetime is shortened, with a warning. */
  readonly maxSeconds: number;
}

const defaultSeconds = 3600;
const minSeconds = 600;

/** The subresource `serviceaccounts/<name>/token`. Issues a new token for each request. Tokens are not stored. */
export function tokenSubresource(options: TokenRequestOptions): MountedSubresource {
  return {
    kind: tokenRequestKind,
    verbs: { createNamed: (context, name, sent) => issueToken(options, context, name, sent) },
  };
}

async function issueToken(options: TokenRequestOptions, context: RequestContext, name: string, sent: KubeObject) {
  const { namespace } = context;
  const request = sent as JsonObject & KubeObject;
  checkIdentity(name, request);
  const account = options.accounts.peek(namespace, name)?.object;
  if (account === undefined) throw notFound(groupResourceOf(serviceAccountKind), name);
  checkUid(account, name, request);
  const requested = numberAt(request, 'spec', 'expirationSeconds') ?? defaultSeconds;
  throwIfInvalid(lifetimeErrors(requested));
  const secret = boundSecret(options, namespace, request);
  const seconds = Math.min(requested, options.maxSeconds);
  if (seconds < requested) {
    context.warn(`requested expiration of ${requested} seconds shortened to ${seconds} seconds`);
  }
  const audiences = textsAt(request, 'spec', 'audiences');
  const now = options.clock.now();
  const token = await options.tokens.issue({
    account,
    lifetimeSeconds: seconds,
    creator: context.responsible,
    ...(secret === undefined ? {} : { secret }),
    ...(audiences.length === 0 ? {} : { audiences }),
  });
  const { uid = '' } = account.metadata;
  const { managedFields: _, resourceVersion: __, ...metadata } = request.metadata;
  return toServedObject(tokenRequestKind, {
    kind: tokenRequestKind.kind,
    apiVersion: request.apiVersion,
    metadata: { ...metadata, name, namespace, uid, creationTimestamp: timestamp(now) },
    spec: {
      audiences: audiences.length === 0 ? [options.tokens.issuer] : [...audiences],
      expirationSeconds: seconds,
      boundObjectRef: objectAt(request, 'spec', 'boundObjectRef') ?? null,
    },
    status: { token, expirationTimestamp: timestamp(now + seconds * 1000) },
  } as KubeObject);
}

function checkIdentity(name: string, { metadata }: KubeObject): void {
  const given = metadata.name ?? '';
  if (given === '' || given === name) return;
  const detail = 'must match the service account name if specified';
  throw invalidObject(tokenRequestKind, name, [invalid('metadata.name', given, detail)]);
}

function checkUid(account: KubeObject, name: string, request: KubeObject): void {
  const { uid = '' } = account.metadata;
  const given = request.metadata.uid ?? '';
  if (given === '' || given === uid) return;
  throw conflict(
    { group: tokenRequestKind.group, resource: tokenRequestKind.kind },
    name,
    `the UID in the token request (${given}) does not match the UID of the service account (${uid})`,
  );
}

function lifetimeErrors(seconds: number): FieldError[] {
  const field = 'spec.expirationSeconds';
  if (seconds < minSeconds) return [invalid(field, seconds, 'may not specify a duration less than 10 minutes')];
  if (seconds > 2 ** 32) return [invalid(field, seconds, 'may not specify a duration larger than 2^32 seconds')];
  return [];
}

function throwIfInvalid(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidObject(tokenRequestKind, '', errors);
}

/**
 * Returns the secret to which the token will be bound. Kubernetes also allows pods and nodes, but no plane runs pods on
 * nodes.
 */
function boundSecret(options: TokenRequestOptions, namespace: string, request: KubeObject): KubeObject | undefined {
  const reference = objectAt(request as JsonValue, 'spec', 'boundObjectRef');
  if (reference === undefined) return undefined;
  const { group, version } = parseApiVersion(textAt(reference, 'apiVersion'));
  const kind = textAt(reference, 'kind');
  if (group !== '' || kind !== secretKind.kind) {
    throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  }
  const name = textAt(reference, 'name');
  const secret = options.secrets.peek(namespace, name)?.object;
  if (secret === undefined) throw notFound(groupResourceOf(secretKind), name);
  const given = textAt(reference, 'uid');
  if (given !== '' && given !== secret.metadata.uid) {
    const detail = `the UID in the bound object reference (${given}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: '', resource: secretKind.kind }, name, detail);
  }
  return secret;
}
