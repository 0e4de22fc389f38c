import { rolesInside, rolesInUse } from '../../api/management/roles-inside.ts';
import type { TemplateDefinition } from '../../api/management/v1/template-definition.ts';
import { roleGroup } from '../../api/naming.ts';
import { rbacGroup } from '../../api/rbac/policy-rule.ts';
import { applyObjects } from '../../hosts/apply-objects.ts';
import type { Host, HostedVirtualCluster } from '../../hosts/host.ts';
import { type VirtualClient, virtualClient } from '../../hosts/virtual-client.ts';
import { listAt, textAt } from '../../lib/json-path.ts';
import type { JsonObject } from '../../lib/json-value.ts';
import { digestOf } from './digest-of.ts';
import type { InstanceFacts } from './instance-facts.ts';

/** What is to stand inside a virtual cluster. */
export interface Content {
  /** The roles that somebody may have in there, in byte order. */
  readonly roles: readonly string[];
  /** YAML documents. */
  readonly objects: string;
  /** Changes with everything that calls for them to be brought in again. */
  readonly digest: string;
}

export function contentOf(
  { object }: Pick<InstanceFacts, 'object'>,
  definition: TemplateDefinition,
  { uid }: Pick<HostedVirtualCluster, 'uid'>,
): Content {
  const roles = rolesInUse(rolesInside(object, definition.access ?? {}));
  const objects = definition.objects ?? '';
  return { roles, objects, digest: digestOf(uid, roles, objects) };
}

/**
 * Asks whether the API of the virtual cluster answers, and brings in what is to stand there. Rejects with StatusError
 * where it does not answer, and with ApplyError for objects that cannot be applied.
 */
export async function insideStep(
  host: Host,
  { place, object }: InstanceFacts,
  content: Content,
  signal: AbortSignal,
): Promise<void> {
  const virtual = virtualClient(host.reach(place), signal);
  await virtual.get('/readyz');
  for (const role of content.roles) await virtual.apply(`${bindingsPath}/${nameInPath(role)}`, binding(role));
  // The first time there is nothing to be taken away.
  if (textAt(object, 'status', 'deployHash') !== '') await removeOtherBindings(virtual, content.roles);
  if (content.objects.trim() !== '') await applyObjects(content.objects, virtual);
}

const bindingsPath = `/apis/${rbacGroup}/v1/clusterrolebindings`;

/** A binding is named after the group that it is for: names that begin like this are the server's own. */
function nameInPath(role: string): string {
  return encodeURIComponent(roleGroup(role));
}

function binding(role: string): JsonObject {
  return {
    apiVersion: `${rbacGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: roleGroup(role) },
    roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: rbacGroup, kind: 'Group', name: roleGroup(role) }],
  };
}

async function removeOtherBindings(virtual: VirtualClient, roles: readonly string[]): Promise<void> {
  const kept = new Set(roles.map(roleGroup));
  const names = listAt(await virtual.get(bindingsPath), 'items').map((item) => textAt(item, 'metadata', 'name'));
  for (const name of names.filter((each) => each.startsWith(roleGroup('')) && !kept.has(each))) {
    await virtual.delete(`${bindingsPath}/${encodeURIComponent(name)}`);
  }
}
