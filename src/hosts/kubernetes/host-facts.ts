import type { KubeObject } from '../../api/meta.ts';
import { fallingAsleepAnnotation, hostDigestLabel, hostOwnerLabel } from '../../api/naming.ts';
import { listAt, numberAt, textAt } from '../../lib/json-path.ts';
import type { JsonValue } from '../../lib/json-value.ts';
import { apiPort, controlPlaneApp } from './chart-labels.ts';

/** The cached part of an object on a host: a thousand complete pods would take ten megabytes. */
export interface HostFact {
  readonly namespace: string;
  readonly name: string;
  /** The name of the virtual cluster that it belongs to. */
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
  /** The port of the API. */
  readonly port: number;
  readonly targetPort: number;
}

export interface WorkloadFact extends HostFact {
  readonly isControlPlane: boolean;
  readonly replicas: number;
  readonly isFallingAsleep: boolean;
  /** The version in the image tag; empty if there is none. */
  readonly kubernetesVersion: string;
  /** The cause why no pods are created, as the cluster reports it; empty if they are. */
  readonly trouble: string;
}

export interface PodFact extends HostFact {
  readonly isReady: boolean;
  readonly trouble: PodTrouble | undefined;
}

export interface PodTrouble {
  readonly reason: string;
  readonly message: string;
  /** Waiting does not resolve it. */
  readonly isLasting: boolean;
}

/** One revision of a release, from the labels of its record. */
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

function summaryOf({ metadata }: KubeObject, release: string): HostFact {
  const { namespace = '', name = '', uid = '', resourceVersion = '', deletionTimestamp } = metadata;
  return { namespace, name, release, uid, resourceVersion, isDeleting: deletionTimestamp !== undefined };
}

function labelOf({ metadata }: KubeObject, name: string): string {
  return metadata.labels?.[name] ?? '';
}

/** `undefined` for other services of a virtual cluster: only the one with its name serves its API. */
export function serviceFact(object: KubeObject): ServiceFact | undefined {
  const release = labelOf(object, 'release');
  if (release === '' || object.metadata.name !== release) return undefined;
  const service = object as JsonValue;
  const ports = listAt(service, 'spec', 'ports');
  const port = ports.find((each) => textAt(each, 'name') === 'https') ?? ports[0];
  return {
    ...summaryOf(object, release),
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
    ...summaryOf(object, release),
    isControlPlane: labelOf(object, 'app') === controlPlaneApp,
    replicas: numberAt(workload, 'spec', 'replicas') ?? 1,
    isFallingAsleep: object.metadata.annotations?.[fallingAsleepAnnotation] === 'true',
    kubernetesVersion: versionInImages(workload),
    trouble: textAt(failure, 'message'),
  };
}

/** The Kubernetes distribution is a separate image, from which an init container copies the binaries. */
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
    ...summaryOf(object, release),
    owner: labelOf(object, hostOwnerLabel),
    digest: labelOf(object, hostDigestLabel),
    status: labelOf(object, 'status'),
    revision,
    made: Date.parse(object.metadata.creationTimestamp ?? ''),
  };
}

export function namespaceFact(object: KubeObject): NamespaceFact {
  return { ...summaryOf(object, ''), owner: labelOf(object, hostOwnerLabel) };
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
  return { ...summaryOf(object, release), isReady, trouble: isReady ? undefined : troubleOf(pod) };
}
