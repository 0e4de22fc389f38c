import { type JsonValue, listAt, textAt } from '@flotilla/json';
import { roleBindingKind } from '../../api/rbac/role-binding.ts';
import type { ApiClient } from '../../client/resource-client.ts';

/** Returns the groups that have a cluster role in a namespace; `undefined` if there is no binding. */
export async function groupsWithRole(
  hostClient: ApiClient,
  namespace: string,
  clusterRole: string,
): Promise<readonly string[] | undefined> {
  const { items } = await hostClient.resource(roleBindingKind).list({ namespace });
  const binding = items.find((item) => textAt(item as JsonValue, 'roleRef', 'name') === clusterRole);
  return binding && listAt(binding as JsonValue, 'subjects').map((subject) => textAt(subject, 'name'));
}
