import type { KubeObject } from '../../api/meta.ts';
import { fallingAsleepAnnotation, hostDigestLabel, hostOwnerLabel } from '../../api/naming.ts';
import { listAt, numberAt, textAt } from '../../lib/json-path.ts';
import type { JsonValue } from '../../lib/json-value.ts';
import { apiPort, controlPlaneApp } from './chart-labels.ts';

/** What is kept of an object of a host: a thousand pods as they are written would be ten megabytes. */
export interface HostFact {
  readonly namespace: string;
  readonly name: string;
  /** The virtual cluster that it belongs to. */
  readonly release: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly isDeleting: boolean;
}

export interface ServiceFact extends HostFact {
  readonly owner: string;
  readonly type: string;
  readonly clusterIP: string;
  readonly ingress: readonly { readonly ip?: string; readonly hostname?: string }[];
  /** Of the API. */
  readonly port: number;
  readonly targetPort: number;
}

export interface WorkloadFact extends HostFact {
  readonly isControlPlane: boolean;
  readonly replicas: number;
  readonly isFallingAsleep: boolean;
  /** As its image says; '' where it does not. */
  readonly kubernetesVersion: string;
  /** Why no pods are made, in the cluster's words; ''. */
  readonly trouble: string;
}

export interface PodFact extends HostFact {
  readonly isReady: boolean;
  readonly trouble: PodTrouble | undefined;
}

export interface PodTrouble {
  readonly reason: string;
  readonly message: string;
  /** It does not go away by waiting. */
  readonly isLasting: boolean;
}

/** One revision of a release, as its record is marked. */
export interface RecordFact extends HostFact {
  readonly owner: string;
  readonly digest: string;
  readonly status: string;
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly made: number;
}

export interface NamespaceFact extends HostFact {
  readonly owner: string;
}

function factOf({ metadata }: KubeObject, release: string): HostFact {
  const { namespace = '', name = '', uid = '', resourceVersion = '', deletionTimestamp } = metadata;
  return { namespace, name, release, uid, resourceVersion, isDeleting: deletionTimestamp !== undefined };
}

function labelOf({ metadata }: KubeObject, name: string): string {
  return metadata.labels?.[name] ?? '';
}

/** undefined for the other services of a virtual cluster: only the one that is named like it is its door. */
export function serviceFact(object: KubeObject): ServiceFact | undefined {
  const release = labelOf(object, 'release');
  if (release === '' || object.metadata.name !== release) return undefined;
  const service = object as JsonValue;
  const ports = listAt(service, 'spec', 'ports');
  const port = ports.find((each) => textAt(each, 'name') === 'https') ?? ports[0];
  return {
    ...factOf(object, release),
    owner: labelOf(object, hostOwnerLabel),
    type: textAt(service, 'spec', 'type'),
    clusterIP: textAt(service, 'spec', 'clusterIP'),
    ingress: listAt(service, 'status', 'loadBalancer', 'ingress').map((each) => ({
      ...(textAt(each, 'ip') === '' ? {} : { ip: textAt(each, 'ip') }),
      ...(textAt(each, 'hostname') === '' ? {} : { hostname: textAt(each, 'hostname') }),
    })),
    port: numberAt(port, 'port') ?? 443,
    targetPort: numberAt(port, 'targetPort') ?? apiPort,
  };
}

export function workloadFact(object: KubeObject): WorkloadFact | undefined {
  const release = labelOf(object, 'release');
  if (release === '') return undefined;
  const workload = object as JsonValue;
  const failure = listAt(workload, 'status', 'conditions').find(
    (condition) => textAt(condition, 'type') === 'ReplicaFailure' && textAt(condition, 'status') === 'True',
  );
  return {
    ...factOf(object, release),
    isControlPlane: labelOf(object, 'app') === controlPlaneApp,
    replicas: numberAt(workload, 'spec', 'replicas') ?? 1,
    isFallingAsleep: object.metadata.annotations?.[fallingAsleepAnnotation] === 'true',
    kubernetesVersion: versionInImages(workload),
    trouble: textAt(failure, 'message'),
  };
}

/** The distribution is an image of its own, from which its programs are copied. */
function versionInImages(workload: JsonValue): string {
  for (const container of listAt(workload, 'spec', 'template', 'spec', 'initContainers')) {
    const version = /:(v1\.\d+\.\d+)[^:/]*$/.exec(textAt(container, 'image'))?.[1];
    if (version !== undefined) return version;
  }
  return '';
}

export function recordFact(object: KubeObject): RecordFact | undefined {
  const release = labelOf(object, 'name');
  const revision = Number.parseInt(labelOf(object, 'version'), 10);
  if (release === '' || Number.isNaN(revision)) return undefined;
  return {
    ...factOf(object, release),
    owner: labelOf(object, hostOwnerLabel),
    digest: labelOf(object, hostDigestLabel),
    status: labelOf(object, 'status'),
    revision,
    made: Date.parse(object.metadata.creationTimestamp ?? ''),
  };
}

export function namespaceFact(object: KubeObject): NamespaceFact {
  return { ...factOf(object, ''), owner: labelOf(object, hostOwnerLabel) };
}

function isReadyPod(pod: JsonValue): boolean {
  return listAt(pod, 'status', 'conditions').some(
    (condition) => textAt(condition, 'type') === 'Ready' && textAt(condition, 'status') === 'True',
  );
}

export function podFact(
  object: KubeObject,
  troubleOf: (pod: JsonValue) => PodTrouble | undefined,
): PodFact | undefined {
  const release = labelOf(object, 'release');
  if (release === '') return undefined;
  const pod = object as JsonValue;
  const isReady = isReadyPod(pod);
  return { ...factOf(object, release), isReady, trouble: isReady ? undefined : troubleOf(pod) };
}
