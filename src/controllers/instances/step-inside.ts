import { rolesInside, rolesInUse } from '../../api/management/roles-inside.ts';
import type { TemplateDefinition } from '../../api/management/v1/template-definition.ts';
import { applyObjects } from '../../hosts/apply-objects.ts';
import type { Host, HostedVirtualCluster } from '../../hosts/host.ts';
import { timelyClient } from '../../hosts/timely-client.ts';
import { keepBindings, removeOtherBindings } from './bindings-inside.ts';
import { digestOf } from './digest-of.ts';
import type { InstanceFacts } from './instance-facts.ts';
import type { InstanceNeeds } from './instance-needs.ts';

/** The desired contents of a virtual cluster. */
export interface Content {
  /** The roles that members may have inside, in byte order. */
  readonly roles: readonly string[];
  /** YAML documents. */
  readonly objects: string;
  /** Changes whenever the contents must be applied again. */
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

/** Timeout for one response of a virtual cluster's API. */
const timeoutMs = 30_000;

/**
 * Applies the contents to a virtual cluster. Rejects with StatusError if the API of the virtual cluster does not
 * respond, and with ApplyError for objects that cannot be applied. Sends no request if nothing is missing: a request
 * would load the control plane of a virtual cluster on the built-in cluster.
 */
export async function insideStep(
  host: Host,
  snapshot: InstanceFacts,
  content: Content,
  dependencies: InstanceNeeds,
  signal: AbortSignal,
): Promise<void> {
  const virtual = virtualClusterClient(host, snapshot, dependencies, signal);
  // On the first run there is nothing to remove, and the host creates the bindings of `boundRoles` itself.
  const isFirst = (snapshot.object.status?.deployHash ?? '') === '';
  const prebound = host.boundRoles ?? [];
  await keepBindings(virtual, isFirst ? content.roles.filter((role) => !prebound.includes(role)) : content.roles);
  if (!isFirst) await removeOtherBindings(virtual, [...content.roles, ...prebound]);
  if (content.objects.trim() !== '') await applyObjects(content.objects, virtual);
}

/** Restores role bindings that were deleted or changed inside the virtual cluster. */
export async function bindingsStep(
  host: Host,
  snapshot: InstanceFacts,
  { roles }: Content,
  dependencies: InstanceNeeds,
  signal: AbortSignal,
): Promise<void> {
  const restored = await keepBindings(virtualClusterClient(host, snapshot, dependencies, signal), roles);
  if (restored.length === 0) return;
  const message = `Restored role bindings that were deleted or changed inside the virtual cluster: ${restored.join(', ')}.`;
  dependencies.events.record(snapshot.object, 'Warning', 'BindingsRestored', message);
}

/** Removes the server's role bindings from a virtual cluster that outlives its instance. */
export async function leaveInside(
  host: Host,
  snapshot: InstanceFacts,
  dependencies: InstanceNeeds,
  signal: AbortSignal,
): Promise<void> {
  await removeOtherBindings(virtualClusterClient(host, snapshot, dependencies, signal), host.boundRoles ?? []);
}

function virtualClusterClient(host: Host, { place }: InstanceFacts, { clock }: InstanceNeeds, signal: AbortSignal) {
  return timelyClient(host.reach(place), { clock, milliseconds: timeoutMs, signal });
}
