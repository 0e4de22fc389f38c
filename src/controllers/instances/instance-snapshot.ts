import type { VirtualClusterInstance } from '../../api/management/v1/virtual-cluster-instance.ts';
import type { KubeObject } from '../../api/meta.ts';
import { importedAnnotation, projectOfNamespace } from '../../api/naming.ts';
import type { HostLocation } from '../../hosts/host.ts';

/** The fields of an instance that the reconcile steps use, read once. */
export interface InstanceSnapshot {
  readonly object: VirtualClusterInstance;
  /** `<namespace>/<name>`. */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly project: string;
  /** '' if the instance is not scheduled yet. */
  readonly cluster: string;
  readonly location: HostLocation;
  /** The virtual cluster is managed elsewhere: it is never installed, put to sleep or removed. */
  readonly external: boolean;
  /** The uid of the imported virtual cluster; '' if the instance was not imported. */
  readonly importedUid: string;
  /** The uid of the virtual cluster that was last observed; '' if there is none. */
  readonly observedUid: string;
  annotation(name: string): string;
}

export function instanceKey({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

export function snapshotOf(object: VirtualClusterInstance): InstanceSnapshot {
  const { namespace = '', name = '', uid = '', annotations } = object.metadata;
  const annotation = (key: string) => annotations?.[key] ?? '';
  const { cluster = '', namespace: hostNamespace = '', virtualCluster = '' } = object.spec?.clusterRef ?? {};
  return {
    object,
    key: instanceKey(object),
    namespace,
    name,
    uid,
    project: projectOfNamespace(namespace) ?? '',
    cluster,
    location: { namespace: hostNamespace, name: virtualCluster },
    external: object.spec?.external === true,
    importedUid: annotation(importedAnnotation),
    observedUid: object.status?.serviceUID ?? '',
    annotation,
  };
}
