import type { KubeObject } from '../../api/meta.ts';
import { roleGroup } from '../../api/naming.ts';
import { rbacGroup } from '../../api/rbac/policy-rule.ts';
import { roleBindingInside } from '../../api/rbac/role-binding-inside.ts';
import { StatusError } from '../../api/status.ts';
import type { VirtualClient } from '../../hosts/virtual-client.ts';
import { listAt, textAt } from '../../lib/json-path.ts';
import { equalJson, type JsonObject, type JsonValue } from '../../lib/json-value.ts';

const bindingsPath = `/apis/${rbacGroup}/v1/clusterrolebindings`;
const pathOf = (name: string) => `${bindingsPath}/${encodeURIComponent(name)}`;

/**
 * Sees to it that each of these roles is bound to whom the gateway lets in with it. Writes nothing where nothing is
 * missing. Returns the roles whose binding was not there, or not right.
 */
export async function keepBindings(virtual: VirtualClient, roles: readonly string[]): Promise<string[]> {
  const made: string[] = [];
  for (const role of roles) if (await keepBinding(virtual, roleBindingInside(role))) made.push(role);
  return made;
}

/** Takes away the bindings of all roles but these. */
export async function removeOtherBindings(virtual: VirtualClient, roles: readonly string[]): Promise<void> {
  const kept = new Set(roles.map(roleGroup));
  const names = listAt(await virtual.get(bindingsPath), 'items').map((item) => textAt(item, 'metadata', 'name'));
  for (const name of names.filter((each) => each.startsWith(roleGroup('')) && !kept.has(each))) {
    await virtual.delete(pathOf(name));
  }
}

async function keepBinding(virtual: VirtualClient, wanted: KubeObject): Promise<boolean> {
  const path = pathOf(wanted.metadata.name ?? '');
  const present = await virtual.get(path).catch((error: unknown) => {
    if (error instanceof StatusError && error.code === 404) return undefined;
    throw error;
  });
  const isSame = (member: string) => equalJson(present?.[member], wanted[member] as JsonValue);
  if (present !== undefined && isSame('roleRef') && isSame('subjects')) return false;
  // What a binding gives cannot be changed, only given anew.
  if (present !== undefined && !isSame('roleRef')) await virtual.delete(path);
  await virtual.apply(path, wanted as JsonObject);
  return true;
}
