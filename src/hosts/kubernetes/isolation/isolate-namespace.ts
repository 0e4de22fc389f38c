import type { JsonObject } from '@flotilla/json';
import { namespaceKind } from '../../../api/core/namespace.ts';
import {
  defaultPodSecurity,
  type HostIsolation,
  podSecurityLevels,
  stricterLevel,
} from '../../../api/management/host-isolation/host-isolation.ts';
import { podSecurityLabel } from '../../../api/management/host-isolation/reserved-labels.ts';
import { hostIsolationAnnotation } from '../../../api/naming.ts';
import { StatusError } from '../../../api/status.ts';
import type { InstallRequest, LabelsAndAnnotations } from '../../host.ts';
import { addLabelsAndAnnotations } from '../../owned-object.ts';
import { createVirtualClusterClient, type VirtualClusterClient } from '../../virtual-cluster-client.ts';
import { withoutReservedLabels } from '../../without-reserved-labels.ts';
import type { HostContext } from '../release/host-context.ts';
import { egressOfControlPlane, egressOfTenants, ingressOfControlPlane, ingressOfTenants } from './network-policies.ts';

/**
 * Returns the labels and annotations of a host namespace. Templates cannot set reserved labels. A template that an
 * older release stored may contain a Pod Security level; that level is used only if it is stricter than the level of
 * the isolation.
 */
export function namespaceMetadata({ space = {}, isolation = {} }: InstallRequest): LabelsAndAnnotations {
  const { labels, annotations = {} } = withoutReservedLabels(space);
  const ofTemplate = podSecurityLevels.find((level) => level === space.labels?.[podSecurityLabel]);
  const level = stricterLevel(isolation.podSecurity ?? defaultPodSecurity, ofTemplate ?? podSecurityLevels[0]);
  return { labels: { ...labels, [podSecurityLabel]: level }, annotations };
}

/** The name of the objects that isolate a host namespace. */
const objectName = 'flotilla-isolation';

/** An object that isolates a host namespace. */
interface IsolationObject {
  /** Returns the path of the kind in the namespace, including the group version. */
  readonly path: (namespace: string) => string;
  /** The object; `undefined` if the isolation does not require it. */
  manifest(isolation: HostIsolation): JsonObject | undefined;
}

/** Returns a NetworkPolicy that is applied if `specOf` returns its specification. */
function networkPolicy(name: string, specOf: (isolation: HostIsolation) => JsonObject | undefined): IsolationObject {
  return {
    path: (namespace) => `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies/${name}`,
    manifest(isolation) {
      const spec = specOf(isolation);
      return spec && { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name }, spec };
    },
  };
}

const ifIsolated =
  (spec: JsonObject) =>
  ({ isolateNetwork = false }: HostIsolation) =>
    isolateNetwork ? spec : undefined;

/** The isolation objects of a host namespace, by the name that the annotation of the namespace records. */
const isolationObjects: Readonly<Record<string, IsolationObject>> = {
  network: networkPolicy(objectName, ifIsolated(ingressOfTenants)),
  'network-api': networkPolicy(`${objectName}-api`, ifIsolated(ingressOfControlPlane)),
  // The policy of the control plane comes first, so the control plane is always connected to the host.
  'egress-control-plane': networkPolicy(`${objectName}-control-plane`, ({ deniedEgressCIDRs = [] }) =>
    deniedEgressCIDRs.length === 0 ? undefined : egressOfControlPlane,
  ),
  egress: networkPolicy(`${objectName}-egress`, ({ deniedEgressCIDRs = [] }) =>
    deniedEgressCIDRs.length === 0 ? undefined : egressOfTenants(deniedEgressCIDRs),
  ),
  // The limits come before the quota, which rejects containers without requests.
  limits: {
    path: (namespace) => `/api/v1/namespaces/${namespace}/limitranges/${objectName}`,
    manifest: ({ limitRange }) =>
      limitRange && {
        apiVersion: 'v1',
        kind: 'LimitRange',
        metadata: { name: objectName },
        spec: { limits: [{ type: 'Container', ...limitRange }] },
      },
  },
  quota: {
    path: (namespace) => `/api/v1/namespaces/${namespace}/resourcequotas/${objectName}`,
    manifest: ({ resourceQuota: hard }) =>
      hard && { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: objectName }, spec: { hard } },
  },
};

/**
 * The objects that allow a control plane more connections. They are not applied to a space, because a space has no
 * control plane, and any pod with the labels of a control plane would get these connections.
 */
const ofControlPlane: ReadonlySet<string> = new Set(['network-api', 'egress-control-plane']);

/**
 * Applies the objects that isolate a host namespace, as the user of the kubeconfig, and deletes those that are no
 * longer required. Sends requests only about objects that are required or were required before.
 */
export async function isolateNamespace(
  work: HostContext,
  { location, isolation = {} }: InstallRequest,
  signal: AbortSignal,
): Promise<void> {
  const namespaces = work.hostClient.resource(namespaceKind);
  const namespace = await namespaces.get({ name: location.namespace }, { signal });
  const applied = (namespace.metadata.annotations?.[hostIsolationAnnotation] ?? '').split(',');
  const isWanted = ([name, { manifest }]: readonly [string, IsolationObject]): boolean =>
    manifest(isolation) !== undefined && !(location.name === '' && ofControlPlane.has(name));
  const wanted = Object.entries(isolationObjects).filter(isWanted);
  const record = wanted.map(([name]) => name).join(',');
  if (record === '' && applied.join('') === '') return;
  const client = createVirtualClusterClient(work.ownApi, signal);
  // Each object is recorded in the annotation before it is created, so it is deleted later even if this call is
  // interrupted.
  const annotate = (value: string) =>
    addLabelsAndAnnotations(namespaces, namespace, { annotations: { [hostIsolationAnnotation]: value } }, { signal });
  await annotate([...new Set([...applied, ...wanted.map(([name]) => name)])].filter((name) => name !== '').join(','));
  for (const [, { path, manifest }] of wanted) {
    await client.apply(path(location.namespace), manifest(isolation) ?? {});
  }
  for (const name of applied) {
    const object = isolationObjects[name];
    if (object === undefined || isWanted([name, object])) continue;
    await deleteIfPresent(client, object.path(location.namespace));
  }
  await annotate(record);
}

async function deleteIfPresent(client: VirtualClusterClient, path: string): Promise<void> {
  try {
    await client.delete(path);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
  }
}
