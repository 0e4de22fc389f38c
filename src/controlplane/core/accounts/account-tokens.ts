import { randomUUID } from 'node:crypto';
import { goQuote } from '@flotilla/go-text';
import { type JsonObject, type JsonValue, numberAt, objectAt, textAt, textsAt } from '@flotilla/json';
import { serviceAccountUser } from '../../../api/core/service-account.ts';
import type { KubeObject, ObjectMeta } from '../../../api/meta.ts';
import { tokenCreatorClaim } from '../../../api/naming.ts';
import type { UserInfo } from '../../../api/user-info.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { KindStore } from '../../../registry/kind-store.ts';
import { serviceAccountUserInfo } from './service-account-user-info.ts';

/** Signs and verifies service account tokens with the signing keys of the installation. */
export interface TokenKeys {
  /** The ID of the installation. The issuer of a plane's tokens consists of this ID and the plane ID. */
  readonly installation: string;
  sign(claims: JsonObject): Promise<string>;
  /**
   * Returns the claims of a token that is signed with one of the signing keys; `undefined` for other tokens. Does not
   * check the claims.
   */
  verify(token: string): Promise<JsonObject | undefined>;
  /** Returns the public keys that verify the tokens, as a JSON Web Key Set. */
  publicKeys(): Promise<JsonObject>;
}

export interface AccountTokensOptions {
  readonly planeId: string;
  readonly clock: Clock;
  readonly keys: TokenKeys;
  readonly accounts: Pick<KindStore, 'peek'>;
  readonly secrets: Pick<KindStore, 'peek'>;
}

/** A reference to an object by name and UID, as in the claims of a token. */
export interface TokenReference {
  readonly name: string;
  readonly uid: string;
}

/**
 * The content of a service account token: the account, and the limits of the token's validity (the expiry time and the
 * secret to which the token is bound).
 */
export interface ServiceAccountTokenContent {
  readonly namespace: string;
  readonly account: TokenReference;
  readonly secret?: TokenReference;
  readonly audiences: readonly string[];
  /** The expiry time in seconds since the Unix epoch. Absent if the token does not expire. */
  readonly expiresAt?: number;
  /** The name of the user or team that created the token. Absent if it is unknown. */
  readonly creator?: string;
  readonly id: string;
}

export interface TokenIssueOptions {
  readonly account: KubeObject;
  readonly secret?: KubeObject;
  /** The audiences of the token. Optional; defaults to the issuer of the plane. */
  readonly audiences?: readonly string[];
  /** The name of the user or team that creates the token. Optional; absent if it is unknown. */
  readonly creator?: string | undefined;
  /** The lifetime. Optional; by default the token is valid until the service account or the secret is deleted. */
  readonly lifetimeSeconds?: number;
}

/**
 * Issues and checks the service account tokens of one plane. Other planes do not accept them, because the issuer of a
 * token contains the plane ID.
 */
export class AccountTokens {
  /**
   * The issuer of this plane's tokens. It is also the default audience of the tokens, and the only audience that the
   * plane's API accepts.
   */
  readonly issuer: string;
  readonly #options: AccountTokensOptions;

  constructor(options: AccountTokensOptions) {
    this.#options = options;
    this.issuer = serviceAccountIssuer(options.keys.installation, options.planeId);
  }

  async issue(options: TokenIssueOptions): Promise<string> {
    const { account, secret, audiences = [this.issuer], lifetimeSeconds, creator } = options;
    const { namespace = '', name = '', uid = '' } = account.metadata;
    const now = Math.floor(this.#options.clock.now() / 1000);
    const bound = secret && { name: secret.metadata.name ?? '', uid: secret.metadata.uid ?? '' };
    return await this.#options.keys.sign({
      aud: [...audiences],
      ...(lifetimeSeconds === undefined ? {} : { exp: now + lifetimeSeconds }),
      iat: now,
      iss: this.issuer,
      jti: randomUUID(),
      'kubernetes.io': {
        namespace,
        ...(bound === undefined ? {} : { secret: bound }),
        serviceaccount: { name, uid },
      },
      nbf: now,
      sub: serviceAccountUser(namespace, name),
      ...(creator === undefined ? {} : { [tokenCreatorClaim]: creator }),
    });
  }

  /** Returns the content of a token that is valid now for one of the audiences; `undefined` for other tokens. */
  async check(token: string, audiences?: readonly string[]): Promise<ServiceAccountTokenContent | undefined> {
    const found = await this.checkWithReason(token, audiences);
    return 'token' in found ? found.token : undefined;
  }

  /**
   * Checks a token like `check`. `fault` contains the reason why the token is invalid, as Kubernetes words it. `fault`
   * is empty if another issuer has created the token.
   */
  async checkWithReason(
    token: string,
    audiences: readonly string[] = [this.issuer],
  ): Promise<{ readonly token: ServiceAccountTokenContent } | { readonly fault: string }> {
    const claims = await this.#options.keys.verify(token);
    const read = claims && this.#read(claims);
    if (read === undefined) return { fault: '' };
    if (!read.audiences.some((audience) => audiences.includes(audience))) {
      const list = (texts: readonly string[]) => `[${texts.map(goQuote).join(' ')}]`;
      const fault = `token audiences ${list(read.audiences)} is invalid for the target audiences ${list(audiences)}`;
      return { fault };
    }
    const fault = this.#fault(read);
    return fault === undefined ? { token: read } : { fault };
  }

  /** True if the token has not expired and its service account and secret still exist. */
  isValid(token: ServiceAccountTokenContent): boolean {
    return this.#fault(token) === undefined;
  }

  #fault({ namespace, account, secret, expiresAt }: ServiceAccountTokenContent): string | undefined {
    const { accounts, secrets, clock } = this.#options;
    if (expiresAt !== undefined && expiresAt * 1000 <= clock.now()) return 'service account token has expired';
    const known = accounts.peek(namespace, account.name)?.object.metadata;
    if (known === undefined) return `serviceaccounts ${goQuote(account.name)} not found`;
    if (known.uid !== account.uid) return `service account UID (${known.uid}) does not match claim (${account.uid})`;
    if (this.#isDeleted(known)) return `service account ${namespace}/${account.name} has been deleted`;
    if (secret === undefined) return undefined;
    const bound = secrets.peek(namespace, secret.name)?.object.metadata;
    if (bound === undefined || this.#isDeleted(bound)) return 'service account token has been invalidated';
    if (bound.uid === secret.uid) return undefined;
    return `secret UID (${bound.uid}) does not match service account secret ref claim (${secret.uid})`;
  }

  /**
   * True if the deletion of the object began earlier than the tolerance allows, even if finalizers still prevent the
   * removal of the object.
   */
  #isDeleted({ deletionTimestamp }: ObjectMeta): boolean {
    if (deletionTimestamp === undefined) return false;
    return Date.parse(deletionTimestamp) + toleratedMilliseconds < this.#options.clock.now();
  }

  userOf({ namespace, account, id }: ServiceAccountTokenContent): UserInfo {
    return serviceAccountUserInfo(namespace, account, id);
  }

  #read(claims: JsonObject): ServiceAccountTokenContent | undefined {
    const own = objectAt(claims, 'kubernetes.io');
    const namespace = textAt(own, 'namespace');
    const account = referenceAt(own, 'serviceaccount');
    if (textAt(claims, 'iss') !== this.issuer || account === undefined) return undefined;
    if (textAt(claims, 'sub') !== serviceAccountUser(namespace, account.name)) return undefined;
    const notBefore = numberAt(claims, 'nbf') ?? 0;
    // Accept a start of validity slightly in the future, because the clock of the server that issued the token may be
    // ahead of the clock of this server.
    if (notBefore * 1000 > this.#options.clock.now() + toleratedMilliseconds) return undefined;
    const secret = referenceAt(own, 'secret');
    const expiresAt = numberAt(claims, 'exp');
    const creator = textAt(claims, tokenCreatorClaim);
    return {
      namespace,
      account,
      ...(secret === undefined ? {} : { secret }),
      audiences: textsAt(claims, 'aud'),
      ...(expiresAt === undefined ? {} : { expiresAt }),
      ...(creator === '' ? {} : { creator }),
      id: textAt(claims, 'jti'),
    };
  }
}

/** Returns the issuer in the service account tokens of a plane. */
export function serviceAccountIssuer(installation: string, planeId: string): string {
  return `${installation}/${planeId}`;
}

const toleratedMilliseconds = 60_000;

function referenceAt(parent: JsonValue | undefined, member: string): TokenReference | undefined {
  const reference = objectAt(parent, member);
  if (reference === undefined) return undefined;
  return { name: textAt(reference, 'name'), uid: textAt(reference, 'uid') };
}
