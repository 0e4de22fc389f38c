import type { TemplateDefinition } from '../../api/management/v1/template-definition.ts';
import { referencedRoles, virtualClusterRoles } from '../../api/management/virtual-cluster-roles.ts';
import { applyObjects } from '../../hosts/apply-objects.ts';
import { clientWithTimeout } from '../../hosts/client-with-timeout.ts';
import type { Host, HostedVirtualCluster } from '../../hosts/host.ts';
import { digestOf } from './digest-of.ts';
import type { HostStepContext, InstanceContents, InstanceDependencies } from './instance-dependencies.ts';
import type { InstanceSnapshot } from './instance-snapshot.ts';
import { readTemplateObjects } from './steps/read-template-objects.ts';
import { ensureBindings, removeOtherBindings } from './virtual-cluster-bindings.ts';

/**
 * Returns the work that is specific to virtual clusters. The server adds role bindings and the objects of the template
 * through the API of the virtual cluster.
 */
export function virtualClusterContents(hostOf: (cluster: string) => Host | undefined): InstanceContents {
  return {
    installsImported: false,
    excludedResources: [],
    installationOf({ object }, { metadata, spaceTemplate, helmRelease, api }, isolation) {
      const displayName = object.spec?.displayName ?? '';
      return {
        ...(displayName === '' ? {} : { displayName }),
        ...(metadata === undefined ? {} : { metadata }),
        ...(spaceTemplate === undefined
          ? {}
          : {
              space: {
                ...spaceTemplate.metadata,
                ...(spaceTemplate.objects === undefined ? {} : { objects: spaceTemplate.objects }),
              },
            }),
        ...(helmRelease === undefined ? {} : { helm: helmRelease }),
        ...(api === undefined ? {} : { api }),
        ...(isolation === undefined ? {} : { isolation }),
      };
    },
    recordObserved({ draft }, { uid }) {
      draft.set('serviceUID', uid);
    },
    async ensure(context, definition, observed) {
      const { snapshot, draft, dependencies } = context;
      const host = hostOf(snapshot.cluster);
      if (host === undefined) return;
      const contents = contentsOf(snapshot, definition, observed);
      if (snapshot.object.status?.deployHash !== contents.digest) {
        await applyContents(host, context, contents);
        draft.set('deployHash', contents.digest);
      } else if (dependencies.bindings.isDue(snapshot.uid)) await restoreBindings(host, context, contents);
      else return;
      dependencies.bindings.markChecked(snapshot.uid);
    },
    async release(snapshot, dependencies, signal) {
      const host = hostOf(snapshot.cluster);
      if (host === undefined) return;
      await removeOtherBindings(clientInside(host, snapshot, dependencies, signal), host.preboundRoles ?? []);
    },
  };
}

/** The desired contents of a virtual cluster. */
interface VirtualClusterContents {
  /** The roles that project members may have inside the virtual cluster, sorted by UTF-8 bytes. */
  readonly roles: readonly string[];
  /** The template's objects as YAML documents. */
  readonly objects: string;
  /** A digest that changes whenever the contents must be applied again. */
  readonly digest: string;
}

function contentsOf(
  { object }: Pick<InstanceSnapshot, 'object'>,
  definition: TemplateDefinition,
  { uid, dataLostAt }: Pick<HostedVirtualCluster, 'uid' | 'dataLostAt'>,
): VirtualClusterContents {
  const roles = referencedRoles(virtualClusterRoles(object, definition.access ?? {}));
  const objects = definition.objects ?? '';
  // A virtual cluster that has lost its data has also lost the contents. Change the digest, so that the contents are
  // applied again.
  const incarnation = dataLostAt === undefined ? uid : `${uid}/${dataLostAt}`;
  return { roles, objects, digest: digestOf(incarnation, roles, objects) };
}

/** Timeout for each request to the API of a virtual cluster. */
const timeoutMs = 30_000;

/**
 * Applies the contents to a virtual cluster. Rejects with StatusError if the API of the virtual cluster does not
 * respond, and with ApplyError if an object cannot be applied. Sends no request if there is nothing to apply, because
 * on the built-in cluster a request causes the virtual cluster's control plane to be loaded.
 */
async function applyContents(
  host: Host,
  { snapshot, dependencies, signal }: HostStepContext,
  content: VirtualClusterContents,
): Promise<void> {
  const virtual = clientInside(host, snapshot, dependencies, signal);
  // A new virtual cluster has no outdated bindings, and its host has already created the bindings for `preboundRoles`.
  const isFirst = (snapshot.object.status?.deployHash ?? '') === '';
  const prebound = host.preboundRoles ?? [];
  await ensureBindings(virtual, isFirst ? content.roles.filter((role) => !prebound.includes(role)) : content.roles);
  if (!isFirst) await removeOtherBindings(virtual, [...content.roles, ...prebound]);
  const objects = await readTemplateObjects(content.objects, snapshot, dependencies);
  if (objects.length > 0) await applyObjects(objects, virtual);
}

/** Restores role bindings that were deleted or changed inside the virtual cluster. */
async function restoreBindings(
  host: Host,
  { snapshot, dependencies, signal }: HostStepContext,
  { roles }: VirtualClusterContents,
): Promise<void> {
  const restored = await ensureBindings(clientInside(host, snapshot, dependencies, signal), roles);
  if (restored.length === 0) return;
  const message = `Restored role bindings that were deleted or changed inside the virtual cluster: ${restored.join(', ')}.`;
  dependencies.events.record(snapshot.object, 'Warning', 'BindingsRestored', message);
}

function clientInside(
  host: Host,
  { location }: InstanceSnapshot,
  { clock }: InstanceDependencies,
  signal: AbortSignal,
) {
  return clientWithTimeout(host.clusterApi(location), { clock, milliseconds: timeoutMs, signal });
}
