import type { KubeObject } from '../../api/meta.ts';
import { importedAnnotation, projectOfNamespace } from '../../api/naming.ts';
import type { HostPlace } from '../../hosts/host.ts';
import { flagAt, textAt } from '../../lib/json-path.ts';

/** What the steps go by in an instance, read once. */
export interface InstanceFacts {
  readonly object: KubeObject;
  /** `<namespace>/<name>`. */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly project: string;
  /** '': it has no place yet. */
  readonly cluster: string;
  readonly place: HostPlace;
  /** Its life is not ours: it is never installed, put to sleep or removed. */
  readonly external: boolean;
  /** The virtual cluster that it took over; '': it has one of its own. */
  readonly importedUid: string;
  /** The virtual cluster that was seen last; '': none yet. */
  readonly serviceUid: string;
  annotation(name: string): string;
}

export function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

export function factsOf(object: KubeObject): InstanceFacts {
  const { namespace = '', name = '', uid = '', annotations } = object.metadata;
  const annotation = (wanted: string) => annotations?.[wanted] ?? '';
  const at = (member: string) => textAt(object, 'spec', 'clusterRef', member);
  return {
    object,
    key: keyOf(object),
    namespace,
    name,
    uid,
    project: projectOfNamespace(namespace) ?? '',
    cluster: at('cluster'),
    place: { namespace: at('namespace'), name: at('virtualCluster') },
    external: flagAt(object, 'spec', 'external'),
    importedUid: annotation(importedAnnotation),
    serviceUid: textAt(object, 'status', 'serviceUID'),
    annotation,
  };
}
