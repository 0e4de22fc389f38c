import type { KubeObject } from '../../api/meta.ts';
import { importedAnnotation, projectOfNamespace } from '../../api/naming.ts';
import type { HostLocation } from '../../hosts/host.ts';
import { type Instance, type InstanceProfile, profileOf } from './instance-profile.ts';

/** The fields of an instance that the reconcile steps use. Read from the object at the start of a reconcile. */
export interface InstanceSnapshot {
  readonly object: Instance;
  readonly profile: InstanceProfile;
  /** `<namespace>/<name>`. */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly project: string;
  /** The name of the cluster; '' if the instance is not scheduled yet. */
  readonly cluster: string;
  readonly location: HostLocation;
  /** True if the virtual cluster is managed externally. The server never installs, puts to sleep or removes it. */
  readonly external: boolean;
  /** The uid of the imported virtual cluster or namespace; '' if the instance was not imported. */
  readonly importedUid: string;
  /** The uid of the virtual cluster or namespace that was last observed on the host; '' if none was observed yet. */
  readonly observedUid: string;
  annotation(name: string): string;
}

export function instanceKey({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

export function snapshotOf(object: Instance): InstanceSnapshot {
  const { namespace = '', name = '', uid = '', annotations } = object.metadata;
  const annotation = (key: string) => annotations?.[key] ?? '';
  const { cluster = '', namespace: hostNamespace = '', virtualCluster = '' } = object.spec?.clusterRef ?? {};
  return {
    object,
    profile: profileOf(object),
    key: instanceKey(object),
    namespace,
    name,
    uid,
    project: projectOfNamespace(namespace) ?? '',
    cluster,
    location: { namespace: hostNamespace, name: virtualCluster },
    external: object.spec?.external === true,
    importedUid: annotation(importedAnnotation),
    observedUid: object.status?.serviceUID ?? object.status?.hostNamespace?.uid ?? '',
    annotation,
  };
}
