import { equalJson, type JsonObject, type JsonValue, listAt, textAt } from '@flotilla/json';
import type { KubeObject } from '../../api/meta.ts';
import { roleGroup } from '../../api/naming.ts';
import { rbacGroup } from '../../api/rbac/policy-rule.ts';
import { virtualClusterRoleBinding } from '../../api/rbac/virtual-cluster-role-binding.ts';
import { StatusError } from '../../api/status.ts';
import type { VirtualClusterClient } from '../../hosts/virtual-cluster-client.ts';

const bindingsPath = `/apis/${rbacGroup}/v1/clusterrolebindings`;
const pathOf = (name: string) => `${bindingsPath}/${encodeURIComponent(name)}`;

/**
 * Ensures that each role is bound to its group inside the virtual cluster. The gateway adds this group to the requests
 * of users who have the role. Writes only bindings that are missing or different, and returns the roles of the written
 * bindings.
 */
export async function ensureBindings(virtual: VirtualClusterClient, roles: readonly string[]): Promise<string[]> {
  const changed: string[] = [];
  for (const role of roles) if (await ensureBinding(virtual, virtualClusterRoleBinding(role))) changed.push(role);
  return changed;
}

/** Removes the server's bindings of all roles that are not in `roles`. */
export async function removeOtherBindings(virtual: VirtualClusterClient, roles: readonly string[]): Promise<void> {
  const kept = new Set(roles.map(roleGroup));
  const names = listAt(await virtual.get(bindingsPath), 'items').map((item) => textAt(item, 'metadata', 'name'));
  for (const name of names.filter((each) => each.startsWith(roleGroup('')) && !kept.has(each))) {
    await virtual.delete(pathOf(name));
  }
}

async function ensureBinding(virtual: VirtualClusterClient, desired: KubeObject): Promise<boolean> {
  const path = pathOf(desired.metadata.name ?? '');
  const existing = await virtual.get(path).catch((error: unknown) => {
    if (error instanceof StatusError && error.code === 404) return undefined;
    throw error;
  });
  const isSame = (member: string) => equalJson(existing?.[member], desired[member] as JsonValue);
  if (existing !== undefined && isSame('roleRef') && isSame('subjects')) return false;
  // The roleRef of a role binding is immutable, so the binding is deleted and created again.
  if (existing !== undefined && !isSame('roleRef')) await virtual.delete(path);
  await virtual.apply(path, desired as JsonObject);
  return true;
}
