import { hash } from 'node:crypto';
import { textAt } from '@flotilla/json';
import { type AccessKey, accessKeyKind } from '../../../api/management/v1/access-key.ts';
import { apiVersionOf } from '../../../api/meta.ts';
import { workloadIssuerLabel, workloadRuleLabel, workloadTokenLabel } from '../../../api/naming.ts';
import { typedObject } from '../../../api/resource.ts';
import { StatusError } from '../../../api/status.ts';
import type { UserInfo } from '../../../api/user-info.ts';
import { compileAddressRanges } from '../../../auth/address-ranges.ts';
import { isUsableKey } from '../../../auth/key-state.ts';
import type { WorkloadToken } from '../../../auth/workload/verify-workload-token.ts';
import type { WorkloadRule } from '../../../auth/workload/workload-issuer.ts';
import { systemContext } from '../../../controlplane/system-context.ts';
import type { Clock } from '../../../lib/clock.ts';
import { keyStateOf } from '../../../management/access-keys/access-key-state.ts';
import type { ManagementState } from '../../../management/state.ts';
import { type KindStores, storeOf } from '../../../registry/kind-stores.ts';

export interface WorkloadKeysOptions {
  readonly kinds: KindStores;
  readonly state: ManagementState;
  /** Maximum lifetime of access keys in seconds; 0 means no limit. */
  readonly maxTTL: number;
  readonly clock: Clock;
}

/** The access key of a workload. */
export interface IssuedKey {
  readonly name: string;
  /** The secret value of the key. */
  readonly key: string;
  readonly user: UserInfo;
  /** Lifetime in seconds. */
  readonly ttl: number;
}

/** A verified token, the rule that it matches, and the sender. */
export interface WorkloadGrant {
  readonly verified: WorkloadToken;
  readonly token: string;
  readonly rule: WorkloadRule;
  readonly remoteAddress: string;
}

/** The maximum length of `spec.displayName`. */
const maxDisplayName = 256;
/** Subjects of issuers have a few hundred characters at most. */
const maxSubject = 1_024;

/**
 * Issues access keys to workloads. Issuing a key takes one write. The key belongs to the user that the rule names, has
 * the rule's scope, and is deleted when it expires.
 */
export class WorkloadKeys {
  readonly #options: WorkloadKeysOptions;

  constructor(options: WorkloadKeysOptions) {
    this.#options = options;
  }

  /**
   * Issues a key. If the user cannot have a key or there are too many keys, issues none and returns the reason as
   * `why`.
   */
  async issue(grant: WorkloadGrant): Promise<IssuedKey | { readonly why: string }> {
    const why = this.#reasonAgainst(grant);
    if (why !== undefined) return { why };
    const { kinds, state, clock } = this.#options;
    const wanted = this.#keyFor(grant);
    let created: AccessKey;
    try {
      const { object } = await storeOf(kinds, accessKeyKind).verbs.create(systemContext(''), wanted, {
        dryRun: false,
        fieldManager: 'flotilla',
        fieldValidation: 'Ignore',
      });
      created = typedObject(accessKeyKind, object);
    } catch (error) {
      // 403: a limit is reached. 422: the user was deleted in the meantime.
      if (error instanceof StatusError && (error.code === 403 || error.code === 422))
        return { why: error.status.message ?? 'the key cannot be created' };
      throw error;
    }
    const found = keyStateOf(created, state);
    // The user was disabled in the meantime. The issued key cannot authenticate, and expires soon.
    if (!isUsableKey(found, clock.now())) return { why: `the user "${grant.rule.user}" is disabled` };
    return { name: found.name, key: created.spec?.key ?? '', user: found.user, ttl: wanted.spec?.ttl ?? 0 };
  }

  #reasonAgainst({ verified, rule, remoteAddress }: WorkloadGrant): string | undefined {
    const user = this.#options.state.user(rule.user);
    if (user === undefined) return `the user "${rule.user}" does not exist`;
    if (user.spec?.disabled === true || user.metadata.deletionTimestamp !== undefined)
      return `the user "${rule.user}" is disabled`;
    const { allowedCIDRs = [] } = user.spec ?? {};
    if (allowedCIDRs.length > 0 && !compileAddressRanges([allowedCIDRs])(remoteAddress))
      return `the user "${rule.user}" may not log in from the address ${remoteAddress || '(unknown)'}`;
    return verified.subject.length > maxSubject ? `the subject is longer than ${maxSubject} characters` : undefined;
  }

  #keyFor({ verified, token, rule }: WorkloadGrant): AccessKey {
    const { issuer, subject, claims } = verified;
    const { maxTTL } = this.#options;
    // Tokens with the same ID (`jti`) count as one token, even if they are signed again.
    const tokenHash = hash('sha256', textAt(claims, 'jti') || token, 'hex').slice(0, 32);
    return {
      apiVersion: apiVersionOf(accessKeyKind),
      kind: accessKeyKind.kind,
      metadata: {
        generateName: 'workload-',
        labels: {
          [workloadIssuerLabel]: issuer.name,
          [workloadRuleLabel]: rule.name,
          [workloadTokenLabel]: tokenHash,
        },
      },
      spec: {
        user: rule.user,
        type: 'Other',
        displayName: `Workload of ${issuer.name}, rule ${rule.name}: ${subject}`.slice(0, maxDisplayName),
        scope: rule.scope,
        ttl: maxTTL > 0 ? Math.min(rule.ttl, maxTTL) : rule.ttl,
        identity: { connector: issuer.name, userId: subject },
      },
    };
  }
}
