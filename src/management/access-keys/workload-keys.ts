import { accessKeyPhase } from '../../api/management/access-key-expiry.ts';
import { type AccessKey, accessKeyKind } from '../../api/management/v1/access-key.ts';
import { isWorkloadKey } from '../../api/management/workload-key.ts';
import { workloadIssuerLabel, workloadRuleLabel, workloadTokenLabel } from '../../api/naming.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { forbidden } from '../../api/status.ts';
import type { ManagementDependencies } from '../dependencies.ts';

/** The maximum number of unexpired keys per exchanged token. A token may be exchanged more than once. */
export const maxKeysPerToken = 10;
/**
 * The maximum number of unexpired keys per rule. It is more than the number of jobs that a CI system runs at the same
 * time.
 */
const maxKeysPerRule = 1_000;

/**
 * Throws 403 if the rule or the token for which a workload gets a new key has reached the maximum number of unexpired
 * keys.
 */
export function refuseTooManyWorkloadKeys(
  key: AccessKey,
  { state, clock }: Pick<ManagementDependencies, 'state' | 'clock'>,
): void {
  const label = ({ metadata }: AccessKey, name: string) => metadata.labels?.[name];
  const isEqual = (other: AccessKey, name: string) => label(other, name) === label(key, name);
  let [ofRule, ofToken] = [0, 0];
  for (const other of state.accessKeysOf('user', key.spec?.user ?? '')) {
    if (!isWorkloadKey(other) || accessKeyPhase(other, clock.now()) === 'Expired') continue;
    if (!isEqual(other, workloadIssuerLabel) || !isEqual(other, workloadRuleLabel)) continue;
    ofRule++;
    if (isEqual(other, workloadTokenLabel)) ofToken++;
  }
  const refuse = (detail: string) => forbidden(groupResourceOf(accessKeyKind), key.metadata.name ?? '', detail);
  if (ofToken >= maxKeysPerToken)
    throw refuse(`the token was already exchanged for ${ofToken} access keys that have not expired; use one of them`);
  if (ofRule >= maxKeysPerRule)
    throw refuse(`the rule ${label(key, workloadRuleLabel) ?? ''} has ${ofRule} access keys that have not expired`);
}
