import { secretTypes, serviceAccountNameAnnotation, serviceAccountUidAnnotation } from '../../api/core/secret.ts';
import { decodeBase64, encodeBase64 } from '../../api/decode/base64.ts';
import type { KubeObject } from '../../api/meta.ts';
import { StatusError } from '../../api/status.ts';
import type { Clock } from '../../lib/clock.ts';
import { objectAt, textAt } from '../../lib/json-path.ts';
import type { JsonObject, JsonValue } from '../../lib/json-value.ts';
import type { Log } from '../../lib/log.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { glanceAt, type Served } from '../../registry/verbs.ts';
import { systemContext } from '../system-context.ts';
import type { AccountTokens } from './account-tokens.ts';
import { KeyedWork } from './keyed-work.ts';

export interface TokenSecretsOptions {
  readonly accounts: KindStore;
  readonly secrets: KindStore;
  readonly tokens: AccountTokens;
  /** PEM. */
  readonly certificateAuthority?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

const writing = { dryRun: false, fieldManager: 'kube-controller-manager', fieldValidation: 'Ignore' } as const;

/**
 * Fills in the secrets of the type `kubernetes.io/service-account-token` with a token that lasts as long as they do, and
 * takes them away when their account is gone. Works while the plane is loaded, and looks at all of them when it is and
 * from time to time: a token whose signing key was replaced ends with it, and its secret gets another. Returns how it
 * ends.
 */
export async function keepTokenSecrets(options: TokenSecretsOptions): Promise<() => void> {
  const { accounts, secrets, clock, log } = options;
  const work = new KeyedWork({
    name: 'a secret with a token',
    clock,
    log,
    work: (key) => {
      const [namespace = '', name = ''] = key.split('/');
      return settle(options, namespace, name);
    },
  });
  const look = (secret: Served) => (isTokenSecret(glanceAt(secret)) ? work.add(keyOf(glanceAt(secret))) : undefined);
  const stopSecrets = secrets.listen(({ after }) => {
    if (after !== undefined) void look(after);
  });
  const stopAccounts = accounts.listen(({ before, after }) => {
    const { namespace = '', name = '' } = glanceAt(after ?? (before as Served)).metadata;
    if (before !== undefined && after !== undefined) return;
    for (const secret of secrets.peekAll(namespace)) {
      const object = glanceAt(secret);
      if (isTokenSecret(object) && accountOf(object) === name) void work.add(keyOf(object));
    }
  });
  const lookAtAll = () => Promise.all(secrets.peekAll().map(look));
  let cancelTimer = (): void => {};
  const lookLater = (): void => {
    cancelTimer = clock.after(keysMilliseconds, () => {
      void lookAtAll();
      lookLater();
    });
  };
  await lookAtAll();
  lookLater();
  return () => {
    cancelTimer();
    stopSecrets();
    stopAccounts();
    work.stop();
  };
}

/** Nobody tells when a key is retired for good; so long may a secret hold a token that no longer opens anything. */
const keysMilliseconds = 3_600_000;

function isTokenSecret(secret: KubeObject): boolean {
  return textAt(secret as JsonValue, 'type') === secretTypes.serviceAccountToken;
}

function accountOf(secret: KubeObject): string {
  return textAt(secret as JsonValue, 'metadata', 'annotations', serviceAccountNameAnnotation);
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

async function settle(options: TokenSecretsOptions, namespace: string, name: string): Promise<void> {
  const { accounts, secrets } = options;
  const secret = secrets.peek(namespace, name)?.object;
  if (secret === undefined || !isTokenSecret(secret) || secret.metadata.deletionTimestamp !== undefined) return;
  const account = accounts.peek(namespace, accountOf(secret))?.object;
  const known = secret.metadata.annotations?.[serviceAccountUidAnnotation] ?? '';
  try {
    if (account === undefined || (known !== '' && known !== account.metadata.uid)) await remove(secrets, secret);
    else await fill(options, secret, account);
  } catch (error) {
    // Whoever was faster has left a change, and with it the next look.
    if (!(error instanceof StatusError) || ![404, 409].includes(error.code)) throw error;
  }
}

async function remove(secrets: KindStore, { metadata }: KubeObject): Promise<void> {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata;
  await secrets.verbs.delete(systemContext(namespace), name, {
    dryRun: false,
    gracePeriodSeconds: undefined,
    propagationPolicy: undefined,
    preconditions: { uid, resourceVersion },
  });
}

async function fill(options: TokenSecretsOptions, secret: KubeObject, account: KubeObject): Promise<void> {
  const { namespace = '', name = '' } = secret.metadata;
  const data: JsonObject = { ...objectAt(secret as JsonValue, 'data') };
  const annotations = { ...secret.metadata.annotations, [serviceAccountUidAnnotation]: account.metadata.uid ?? '' };
  const authority = options.certificateAuthority;
  if (authority !== undefined) data['ca.crt'] = encodeBase64(authority);
  if (textAt(data, 'namespace') === '') data.namespace = encodeBase64(namespace);
  const token = textAt(data, 'token');
  // A token whose key is no longer known is of no use to anybody.
  if (token === '' || (await options.tokens.check(decodeBase64(token))) === undefined) {
    data.token = encodeBase64(await newToken(options.tokens, account, secret));
  }
  const next = { ...secret, metadata: { ...secret.metadata, annotations }, data } as KubeObject;
  await options.secrets.verbs.update(systemContext(namespace), name, next, writing);
}

/** One that does not open anything either would be replaced by the next, and so on. */
async function newToken(tokens: AccountTokens, account: KubeObject, secret: KubeObject): Promise<string> {
  const token = await tokens.issue({ account, secret });
  if ((await tokens.check(token)) === undefined) throw new Error('a token that was just issued is not good');
  return token;
}
