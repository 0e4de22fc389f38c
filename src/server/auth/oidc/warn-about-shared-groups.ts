import type { ConnectorSettings } from '../../../auth/oidc/connector.ts';
import type { Log } from '../../../lib/log.ts';

/**
 * Warns about each connector whose provider can give people the groups that belong to another connector in clusters.
 * This is possible if the prefix of one connector is the start of another connector's prefix. For example, the group
 * `b:admins` of a connector with the prefix `a:` becomes `a:b:admins`, which is also the group `admins` of a connector
 * with the prefix `a:b:`. A connector without a prefix has the empty prefix.
 */
export function warnAboutSharedGroups(
  connectors: readonly Pick<ConnectorSettings, 'name' | 'groupsPrefix'>[],
  log: Pick<Log, 'warn'>,
): void {
  for (const { name, groupsPrefix = '' } of connectors) {
    const others = connectors
      .filter((other) => other.name !== name && (other.groupsPrefix ?? '').startsWith(groupsPrefix))
      .map((other) => other.name);
    if (others.length === 0) continue;
    log.warn(
      { connector: name, others },
      'users of this connector could get groups of other connectors in clusters, because its groupsPrefix is absent or is a prefix of theirs; set auth.oidc[].groupsPrefix of each connector, such as company:',
    );
  }
}
