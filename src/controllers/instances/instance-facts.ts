import type { VirtualClusterInstance } from '../../api/management/v1/virtual-cluster-instance.ts';
import type { KubeObject } from '../../api/meta.ts';
import { importedAnnotation, projectOfNamespace } from '../../api/naming.ts';
import type { HostPlace } from '../../hosts/host.ts';

/** The fields of an instance that the reconcile steps use, read once. */
export interface InstanceFacts {
  readonly object: VirtualClusterInstance;
  /** `<namespace>/<name>`. */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly project: string;
  /** '' if the instance is not scheduled yet. */
  readonly cluster: string;
  readonly place: HostPlace;
  /** The virtual cluster is managed elsewhere: it is never installed, put to sleep or removed. */
  readonly external: boolean;
  /** The uid of the imported virtual cluster; '' if the instance was not imported. */
  readonly importedUid: string;
  /** The uid of the virtual cluster that was last observed; '' if there is none. */
  readonly serviceUid: string;
  annotation(name: string): string;
}

export function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

export function factsOf(object: VirtualClusterInstance): InstanceFacts {
  const { namespace = '', name = '', uid = '', annotations } = object.metadata;
  const annotation = (key: string) => annotations?.[key] ?? '';
  const { cluster = '', namespace: hostNamespace = '', virtualCluster = '' } = object.spec?.clusterRef ?? {};
  return {
    object,
    key: keyOf(object),
    namespace,
    name,
    uid,
    project: projectOfNamespace(namespace) ?? '',
    cluster,
    place: { namespace: hostNamespace, name: virtualCluster },
    external: object.spec?.external === true,
    importedUid: annotation(importedAnnotation),
    serviceUid: object.status?.serviceUID ?? '',
    annotation,
  };
}
