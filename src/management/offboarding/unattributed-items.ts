import type { OffboardingItem } from '../../api/management/v1/subresources/user-offboarding.ts';
import type { InstanceCredential } from '../../api/management/v1/subresources/virtual-cluster-instance-credentials.ts';
import {
  type VirtualClusterInstance,
  virtualClusterInstanceKind,
} from '../../api/management/v1/virtual-cluster-instance.ts';
import { projectOfNamespace } from '../../api/naming.ts';
import { credentialItem } from './credential-item.ts';
import { recordsCreators, type UnattributedInstance } from './unattributed-instances.ts';

/** The maximum number of virtual clusters, and of credentials, that are listed individually. */
const maxNamed = 500;

export interface UnattributedItemsOptions {
  readonly user: string;
  /** True if the request revokes the tokens. */
  readonly revokes: boolean;
  readonly maxAgeSeconds: number;
}

/**
 * Returns an item for each known credential without a creator, and an item for each virtual cluster for which the user
 * may have tokens without a creator, because the server does not know all tokens.
 */
export function unattributedItems(
  found: readonly UnattributedInstance[],
  options: UnattributedItemsOptions,
): OffboardingItem[] {
  const action = options.revokes ? ('Revoke' as const) : ('Keep' as const);
  const credentials = found.flatMap(({ instance, credentials: list }) =>
    list.map((one) =>
      credentialItem(one, instance, {
        action,
        message: `its creator is not known, because ${reasonOf(instance)}; ${consequenceOf(one, instance, options)}`,
      }),
    ),
  );
  const unnamed = {
    instances: Math.max(0, found.length - maxNamed),
    credentials: Math.max(0, credentials.length - maxNamed),
  };
  return [
    ...found.slice(0, maxNamed).map(({ instance }) => instanceItem(instance, action, options)),
    ...credentials.slice(0, maxNamed),
    ...(unnamed.instances + unnamed.credentials === 0
      ? []
      : [
          {
            kind: virtualClusterInstanceKind.kind,
            name: options.user,
            action,
            message: `${unnamed.instances} more virtual clusters and ${unnamed.credentials} more credentials without a known creator`,
          },
        ]),
  ];
}

function instanceItem(
  instance: VirtualClusterInstance,
  action: 'Keep' | 'Revoke',
  { user, revokes, maxAgeSeconds }: UnattributedItemsOptions,
): OffboardingItem {
  const { metadata, status } = instance;
  const project = projectOfNamespace(metadata.namespace ?? '');
  const revokedBefore = status?.revokedTokens?.issuedBefore;
  const since = revokedBefore === undefined ? '' : ` since ${revokedBefore}`;
  const end =
    maxAgeSeconds === 0
      ? 'until they expire or their service accounts are deleted'
      : `until they expire, for at most ${durationText(maxAgeSeconds)} after their issue`;
  return {
    kind: virtualClusterInstanceKind.kind,
    ...(project === undefined ? {} : { project }),
    name: metadata.name ?? '',
    action,
    message: revokes
      ? `${reasonOf(instance)}; all service account tokens that were issued until now, whoever created them, are rejected at the gateway, and Secrets with tokens are deleted if the virtual cluster is awake`
      : `${reasonOf(instance)}; those that ${user} created${since} are accepted at the gateway ${end}; revoke all with ${revokeCommand(instance)} --all`,
  };
}

/** Returns the reason why the tokens of a virtual cluster may not contain their creator. */
function reasonOf(instance: VirtualClusterInstance): string {
  return recordsCreators(instance)
    ? 'some service account tokens do not contain their creator'
    : `virtual clusters on cluster ${instance.spec?.clusterRef?.cluster} do not record who creates service account tokens`;
}

function consequenceOf(
  { kind, namespace, name, serviceAccount, expires }: InstanceCredential,
  instance: VirtualClusterInstance,
  { revokes }: UnattributedItemsOptions,
): string {
  if (revokes) return 'rejected at the gateway';
  const end = expires === undefined ? 'until its service account is deleted' : `until ${expires}`;
  const which = kind === 'Secret' ? `${namespace}/${name}` : `--service-account ${namespace}/${serviceAccount}`;
  return `accepted at the gateway ${end}; revoke with ${revokeCommand(instance)} ${which}`;
}

function revokeCommand({ metadata }: VirtualClusterInstance): string {
  return `flotilla credentials revoke ${metadata.name} -p ${projectOfNamespace(metadata.namespace ?? '') ?? ''}`;
}

function durationText(seconds: number): string {
  for (const [unit, length] of [
    ['days', 86_400],
    ['hours', 3_600],
    ['minutes', 60],
  ] as const) {
    if (seconds % length === 0 && seconds > length) return `${seconds / length} ${unit}`;
  }
  return `${seconds} seconds`;
}
