import { compareBytes } from '@flotilla/json';
import type { ConnectorSettings } from '../../../auth/oidc/connector.ts';
import type { ProviderIdentity } from '../../../auth/oidc/provider-identity.ts';
import { isReservedGroup } from '../../../auth/oidc/reserved-groups.ts';

/** The permissions that follow from the groups of an identity. */
export interface IdentityRights {
  /** The groups that the user has in clusters, sorted, without `groupsPrefix`. */
  readonly groups: readonly string[];
  readonly groupsPrefix?: string;
  readonly teams: readonly string[];
  readonly admin: boolean;
  /** The reason why some groups are missing. Absent if none are missing. */
  readonly message?: string;
}

type Rules = Pick<ConnectorSettings, 'allowedGroups' | 'groupsPrefix' | 'groupsToTeams' | 'adminGroups'>;

/**
 * The maximum number of groups that a user has in clusters. `maxGroupLength` is their maximum length. Every request
 * contains these groups, for example in the headers with which the gateway impersonates the user. The rules of the
 * connector apply to all groups, also to those above the limits.
 */
const maxGroups = 500;
const maxGroupLength = 256;

/**
 * Evaluates the rules of the connector for the groups of an identity. If there are too many groups, groups that the
 * rules name are kept before all others, so that the rules give the same result for the stored groups.
 */
export function identityRights(rules: Rules, identity: Pick<ProviderIdentity, 'groups'>): IdentityRights {
  const { allowedGroups, groupsPrefix, groupsToTeams, adminGroups } = rules;
  const all = new Set(identity.groups);
  const usable = [...all].filter(isUsableGroup).sort(compareBytes);
  const teams = new Set<string>();
  for (const [group, mapped] of Object.entries(groupsToTeams)) {
    if (all.has(group)) for (const team of mapped) teams.add(team);
  }
  const named = new Set([...Object.keys(groupsToTeams), ...adminGroups, ...allowedGroups]);
  const kept = [...usable.filter((group) => named.has(group)), ...usable.filter((group) => !named.has(group))];
  const message = `the provider reports ${usable.length} groups; only ${maxGroups} of them are groups of the user in clusters`;
  return {
    groups: kept.slice(0, maxGroups).sort(compareBytes),
    ...(groupsPrefix === undefined ? {} : { groupsPrefix }),
    teams: [...teams].sort(compareBytes),
    admin: adminGroups.some((group) => all.has(group)),
    ...(usable.length > maxGroups ? { message } : {}),
  };
}

/**
 * True if the group can be a group of a user: its name is not reserved, and can be sent in a header. HTTP removes
 * blanks at both ends of a header value. The gateway therefore refuses groups with such blanks, and would refuse all
 * requests of a user who has such a group.
 */
function isUsableGroup(group: string): boolean {
  return (
    group !== '' &&
    group.trim() === group &&
    Buffer.byteLength(group) <= maxGroupLength &&
    !/\p{Cc}/u.test(group) &&
    !isReservedGroup(group)
  );
}
