import { createHash } from 'node:crypto';
import { kubernetesAuthenticatedGroup, systemPrefix } from '../api/naming.ts';
import { serviceUnavailable, tooManyRequests } from '../api/status.ts';
import type { UserInfo } from '../api/user-info.ts';
import type { ClusterApi } from '../hosts/host.ts';
import { virtualClient } from '../hosts/virtual-client.ts';
import type { Clock } from '../lib/clock.ts';
import { flagAt, numberAt, objectAt, textAt, textsAt } from '../lib/json-path.ts';
import { isJsonObject, type JsonObject } from '../lib/json-value.ts';

/** Somebody who came with a token of a service account. */
export interface ReviewedAccount {
  readonly user: UserInfo;
  /** When the token ends, in milliseconds since the epoch; absent: with its account. */
  readonly ends?: number;
}

/** Whose tokens they are, as the clusters say that made them. */
export interface AccountReviews {
  /** undefined: it is no good there. `target` tells the cluster from every other. Rejects where it does not answer. */
  accountOf(target: string, api: ClusterApi, token: string): Promise<ReviewedAccount | undefined>;
  /** Whether it was good there, as far as is remembered: such a one is told why there is no answer. */
  wasGood(target: string, token: string): boolean;
}

interface Reviewed {
  readonly at: number;
  readonly account: ReviewedAccount | undefined;
}

/** The cluster checks the token again with every request that it is sent with; this is about who is let through to it. */
const freshMilliseconds = 10_000;
/** Longer ones are no tokens of accounts. */
const longestToken = 16 * 1024;
const mostRemembered = 10_000;
const longestReview = 10_000;
/** Anybody can send something that looks like a token: at so many at a time clusters are asked about them. */
const mostAsking = 64;
const accountPrefix = `${systemPrefix}serviceaccount:`;
const accountsGroup = `${systemPrefix}serviceaccounts`;

export function accountReviews({ clock }: { readonly clock: Clock }): AccountReviews {
  /** By a hash of cluster and token, in the order in which they were reviewed. */
  const reviewed = new Map<string, Reviewed>();
  const asking = new Map<string, Promise<ReviewedAccount | undefined>>();

  /** For all who came with it meanwhile: none of them ends it for the others. */
  async function review(key: string, api: ClusterApi, token: string, claims: JsonObject) {
    const late = new AbortController();
    const cancel = clock.after(longestReview, () => late.abort(serviceUnavailable('the cluster does not answer', 1)));
    try {
      return remember(key, accountIn(await asked(api, token, late.signal), claims));
    } finally {
      cancel();
    }
  }

  function remember(key: string, account: ReviewedAccount | undefined): ReviewedAccount | undefined {
    reviewed.delete(key);
    reviewed.set(key, { at: clock.elapsed(), account });
    const [oldest] = reviewed.keys();
    if (reviewed.size > mostRemembered && oldest !== undefined) reviewed.delete(oldest);
    return account;
  }

  return {
    async accountOf(target, api, token) {
      const claims = claimsOf(token);
      if (claims === undefined || !textAt(claims, 'sub').startsWith(accountPrefix)) return undefined;
      const end = numberAt(claims, 'exp');
      if (end !== undefined && end * 1000 <= clock.now()) return undefined;
      const key = keyOf(target, token);
      const known = reviewed.get(key);
      if (known !== undefined && clock.elapsed() - known.at < freshMilliseconds) return known.account;
      if (asking.size >= mostAsking && !asking.has(key)) {
        throw tooManyRequests('too many tokens are being looked at, please try again later', 1);
      }
      const answer = asking.get(key) ?? review(key, api, token, claims).finally(() => asking.delete(key));
      asking.set(key, answer);
      return await answer;
    },
    wasGood: (target, token) => reviewed.get(keyOf(target, token))?.account !== undefined,
  };
}

function asked(api: ClusterApi, token: string, signal: AbortSignal): Promise<JsonObject> {
  return virtualClient(api, signal).create('/apis/authentication.k8s.io/v1/tokenreviews', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token },
  });
}

function keyOf(target: string, token: string): string {
  return createHash('sha256').update(`${target}\0${token}`).digest('base64');
}

/** What a token says of itself, whoever made it. */
function claimsOf(token: string): JsonObject | undefined {
  const [, payload = '', signature, ...rest] = token.length > longestToken ? [] : token.split('.');
  if (signature === undefined || rest.length > 0) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return isJsonObject(claims) ? claims : undefined;
  } catch {
    return undefined;
  }
}

/** Whoever else the cluster knows by a token is nobody's service account, and has other ways. */
function accountIn(review: JsonObject, claims: JsonObject): ReviewedAccount | undefined {
  const name = textAt(review, 'status', 'user', 'username');
  if (!flagAt(review, 'status', 'authenticated') || !name.startsWith(accountPrefix)) return undefined;
  const end = numberAt(claims, 'exp');
  const uid = textAt(review, 'status', 'user', 'uid');
  const extra = objectAt(review, 'status', 'user', 'extra');
  return {
    user: {
      name,
      ...(uid === '' ? {} : { uid }),
      // Whatever else a cluster says of its accounts is nothing to be known by here.
      groups: textsAt(review, 'status', 'user', 'groups').filter(
        (group) => group.startsWith(accountsGroup) || group === kubernetesAuthenticatedGroup,
      ),
      ...(extra === undefined ? {} : { extra: extra as unknown as Record<string, readonly string[]> }),
    },
    ...(end === undefined ? {} : { ends: end * 1000 }),
  };
}
