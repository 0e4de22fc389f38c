import { type JsonObject, type JsonValue, objectAt, textAt } from '@flotilla/json';
import { secretTypes, serviceAccountNameAnnotation, serviceAccountUidAnnotation } from '../../../api/core/secret.ts';
import { decodeBase64, encodeBase64 } from '../../../api/decode/base64.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { StatusError } from '../../../api/status.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { RequestContext } from '../../../registry/context.ts';
import type { KindStore } from '../../../registry/kind-store.ts';
import { peekWithoutManagedFields, type ServedObject } from '../../../registry/verbs.ts';
import type { RevisionCheck } from '../../../store/store.ts';
import { systemContext } from '../../system-context.ts';
import { KeyedWorkQueue } from '../keyed-work-queue.ts';
import type { AccountTokens, TokenIssueOptions } from './account-tokens.ts';
import { creatorOfSecret } from './token-secret-creator.ts';

export interface TokenSecretControllerOptions {
  readonly accounts: KindStore;
  readonly secrets: KindStore;
  readonly tokens: AccountTokens;
  /** The CA bundle in PEM format that clients of the plane trust. It is copied into each token secret. */
  readonly certificateAuthority?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

const writing = { dryRun: false, fieldManager: 'kube-controller-manager', fieldValidation: 'Ignore' } as const;

/**
 * Writes a token into each secret of the type `kubernetes.io/service-account-token`, and deletes the secrets of deleted
 * service accounts. When a signing key is retired, its tokens become invalid. Therefore all secrets are checked when
 * the plane is loaded and then every hour. In a shared store, the controller only does these checks, and maintenance
 * reacts to changes (`accountHooks`). Returns a function that stops the controller.
 */
export async function startTokenSecretController(options: TokenSecretControllerOptions): Promise<() => void> {
  const { accounts, secrets, clock, log } = options;
  const work = new KeyedWorkQueue({
    name: 'reconcile of a token secret',
    clock,
    log,
    reconcile: (key) => {
      const [namespace = '', name = ''] = key.split('/');
      return reconcileSecret(options, { namespace, name });
    },
  });
  const enqueue = (secret: ServedObject) =>
    isTokenSecret(peekWithoutManagedFields(secret)) ? work.add(keyOf(peekWithoutManagedFields(secret))) : undefined;
  const followChanges = () => [
    secrets.listen(({ after }) => {
      if (after !== undefined) void enqueue(after);
    }),
    accounts.listen(({ before, after }) => {
      const { namespace = '', name = '' } = peekWithoutManagedFields(after ?? (before as ServedObject)).metadata;
      if (before !== undefined && after !== undefined) return;
      for (const secret of tokenSecretsOf(secrets, namespace, name)) void work.add(keyOf(secret));
    }),
  ];
  const stops = secrets.isShared ? [] : followChanges();
  const enqueueAll = () => Promise.all(secrets.peekAll().map(enqueue));
  let cancelTimer = (): void => {};
  const scheduleCheck = (): void => {
    cancelTimer = clock.after(keyCheckMilliseconds, () => {
      void enqueueAll();
      scheduleCheck();
    });
  };
  await enqueueAll();
  scheduleCheck();
  return () => {
    cancelTimer();
    for (const stop of stops) stop();
    work.stop();
  };
}

/**
 * The interval for checking all tokens. There is no event for a retired signing key, so secrets are checked regularly.
 */
const keyCheckMilliseconds = 3_600_000;

function isTokenSecret(secret: KubeObject): boolean {
  return textAt(secret as JsonValue, 'type') === secretTypes.serviceAccountToken;
}

function accountOf(secret: KubeObject): string {
  return textAt(secret as JsonValue, 'metadata', 'annotations', serviceAccountNameAnnotation);
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

/** Returns the account of a token secret; `undefined` if the secret has another type. */
export function accountOfTokenSecret(secret: KubeObject): string | undefined {
  return isTokenSecret(secret) ? accountOf(secret) : undefined;
}

function tokenSecretsOf(secrets: KindStore, namespace: string, account: string): readonly KubeObject[] {
  return secrets
    .peekAll(namespace)
    .map(peekWithoutManagedFields)
    .filter((secret) => accountOfTokenSecret(secret) === account);
}

/** Updates all token secrets of a service account. The account may not exist. `fence` is `RequestContext.fence`. */
export async function reconcileSecretsOf(
  options: TokenSecretControllerOptions,
  namespace: string,
  account: string,
  fence?: RevisionCheck,
): Promise<void> {
  for (const { metadata } of tokenSecretsOf(options.secrets, namespace, account)) {
    await reconcileSecret(options, { namespace, name: metadata.name ?? '' }, fence);
  }
}

async function reconcileSecret(
  options: TokenSecretControllerOptions,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  fence?: RevisionCheck,
): Promise<void> {
  const { accounts, secrets } = options;
  const context = systemContext(namespace, undefined, fence);
  const secret = secrets.peek(namespace, name)?.object;
  if (secret === undefined || !isTokenSecret(secret) || secret.metadata.deletionTimestamp !== undefined) return;
  const account = accounts.peek(namespace, accountOf(secret))?.object;
  const recordedUid = secret.metadata.annotations?.[serviceAccountUidAnnotation] ?? '';
  try {
    if (account === undefined || (recordedUid !== '' && recordedUid !== account.metadata.uid))
      await remove(secrets, secret, context);
    else await fill(options, secret, account, context);
  } catch (error) {
    // Ignore 404 and 409: another write has deleted or changed the secret. The event of that write adds the secret to
    // the queue again.
    if (!(error instanceof StatusError) || ![404, 409].includes(error.code)) throw error;
  }
}

async function remove(secrets: KindStore, { metadata }: KubeObject, context: RequestContext): Promise<void> {
  const { name = '', uid = '', resourceVersion = '' } = metadata;
  await secrets.verbs.delete(context, name, {
    dryRun: false,
    gracePeriodSeconds: undefined,
    propagationPolicy: undefined,
    preconditions: { uid, resourceVersion },
  });
}

async function fill(
  options: TokenSecretControllerOptions,
  secret: KubeObject,
  account: KubeObject,
  context: RequestContext,
): Promise<void> {
  const { namespace = '', name = '' } = secret.metadata;
  const data: JsonObject = { ...objectAt(secret as JsonValue, 'data') };
  const annotations = { ...secret.metadata.annotations, [serviceAccountUidAnnotation]: account.metadata.uid ?? '' };
  const authority = options.certificateAuthority;
  if (authority !== undefined) data['ca.crt'] = encodeBase64(authority);
  if (textAt(data, 'namespace') === '') data.namespace = encodeBase64(namespace);
  const token = textAt(data, 'token');
  // Replace the token if it is missing, or if its signing key has been retired.
  if (token === '' || (await options.tokens.check(decodeBase64(token))) === undefined) {
    const creator = creatorOfSecret(options.secrets.peekHidden(namespace, name));
    data.token = encodeBase64(await newToken(options.tokens, { account, secret, creator }));
  }
  const next = { ...secret, metadata: { ...secret.metadata, annotations }, data } as KubeObject;
  await options.secrets.verbs.update(context, name, next, writing);
}

/**
 * Issues a token and checks that it is valid. Without the check, the controller would replace an invalid token again
 * and again.
 */
async function newToken(tokens: AccountTokens, options: TokenIssueOptions): Promise<string> {
  const token = await tokens.issue(options);
  if ((await tokens.check(token)) === undefined)
    throw new Error('the service account token that was just issued is not valid');
  return token;
}
