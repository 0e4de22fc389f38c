import type { TemplateDefinition } from '../../../api/management/v1/template-definition.ts';
import { referencedRoles, virtualClusterRoles } from '../../../api/management/virtual-cluster-roles.ts';
import { applyObjects } from '../../../hosts/apply-objects.ts';
import { clientWithTimeout } from '../../../hosts/client-with-timeout.ts';
import type { Host, HostedVirtualCluster } from '../../../hosts/host.ts';
import { digestOf } from '../digest-of.ts';
import type { InstanceDependencies } from '../instance-dependencies.ts';
import type { InstanceSnapshot } from '../instance-snapshot.ts';
import { ensureBindings, removeOtherBindings } from '../virtual-cluster-bindings.ts';
import { readTemplateObjects } from './read-template-objects.ts';
import type { HostStepContext } from './step-context.ts';

/** The desired contents of a virtual cluster. */
export interface VirtualClusterContents {
  /** The roles that project members may have inside the virtual cluster, sorted by UTF-8 bytes. */
  readonly roles: readonly string[];
  /** The template's objects as YAML documents. */
  readonly objects: string;
  /** A digest that changes whenever the contents must be applied again. */
  readonly digest: string;
}

export function contentsOf(
  { object }: Pick<InstanceSnapshot, 'object'>,
  definition: TemplateDefinition,
  { uid }: Pick<HostedVirtualCluster, 'uid'>,
): VirtualClusterContents {
  const roles = referencedRoles(virtualClusterRoles(object, definition.access ?? {}));
  const objects = definition.objects ?? '';
  return { roles, objects, digest: digestOf(uid, roles, objects) };
}

/** Timeout for each request to the API of a virtual cluster. */
const timeoutMs = 30_000;

/**
 * Applies the contents to a virtual cluster. Rejects with StatusError if the API of the virtual cluster does not
 * respond, and with ApplyError if an object cannot be applied. Sends no request if there is nothing to apply, because a
 * request loads the control plane of a virtual cluster on the built-in cluster.
 */
export async function applyContentsStep(
  { host, snapshot, dependencies, signal }: HostStepContext,
  content: VirtualClusterContents,
): Promise<void> {
  const virtual = virtualClusterClient(host, snapshot, dependencies, signal);
  // A new virtual cluster has no outdated bindings, and its host has already created the bindings of `preboundRoles`.
  const isFirst = (snapshot.object.status?.deployHash ?? '') === '';
  const prebound = host.preboundRoles ?? [];
  await ensureBindings(virtual, isFirst ? content.roles.filter((role) => !prebound.includes(role)) : content.roles);
  if (!isFirst) await removeOtherBindings(virtual, [...content.roles, ...prebound]);
  const objects = await readTemplateObjects(content.objects, dependencies);
  if (objects.length > 0) await applyObjects(objects, virtual);
}

/** Restores role bindings that were deleted or changed inside the virtual cluster. */
export async function restoreBindingsStep(
  { host, snapshot, dependencies, signal }: HostStepContext,
  { roles }: VirtualClusterContents,
): Promise<void> {
  const restored = await ensureBindings(virtualClusterClient(host, snapshot, dependencies, signal), roles);
  if (restored.length === 0) return;
  const message = `Restored role bindings that were deleted or changed inside the virtual cluster: ${restored.join(', ')}.`;
  dependencies.events.record(snapshot.object, 'Warning', 'BindingsRestored', message);
}

/** Removes the server's role bindings from a virtual cluster that keeps running after its instance is deleted. */
export async function removeServerBindings(
  host: Host,
  snapshot: InstanceSnapshot,
  dependencies: InstanceDependencies,
  signal: AbortSignal,
): Promise<void> {
  await removeOtherBindings(virtualClusterClient(host, snapshot, dependencies, signal), host.preboundRoles ?? []);
}

function virtualClusterClient(
  host: Host,
  { location }: InstanceSnapshot,
  { clock }: InstanceDependencies,
  signal: AbortSignal,
) {
  return clientWithTimeout(host.clusterApi(location), { clock, milliseconds: timeoutMs, signal });
}
