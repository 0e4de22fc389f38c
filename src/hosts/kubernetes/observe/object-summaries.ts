import type { JsonValue } from '@flotilla/json';
import { listAt, numberAt, textAt } from '@flotilla/json';
import type { KubeObject } from '../../../api/meta.ts';
import { fallingAsleepAnnotation, hostOwnerLabel, installDigestLabel } from '../../../api/naming.ts';
import { apiPort, controlPlaneApp } from '../release/chart-labels.ts';

/** The cached part of an object on a host: a thousand complete pods would take ten megabytes. */
export interface ObjectSummary {
  readonly namespace: string;
  readonly name: string;
  /** The name of the virtual cluster that it belongs to. */
  readonly release: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly isDeleting: boolean;
}

export interface ServiceSummary extends ObjectSummary {
  readonly owner: string;
  readonly type: string;
  readonly clusterIP: string;
  readonly ingress: readonly { readonly ip?: string; readonly hostname?: string }[];
  /** The port of the API. */
  readonly port: number;
  readonly targetPort: number;
}

export interface WorkloadSummary extends ObjectSummary {
  readonly isControlPlane: boolean;
  readonly replicas: number;
  readonly isFallingAsleep: boolean;
  /** The version in the image tag; empty if there is none. */
  readonly kubernetesVersion: string;
  /** The cause why no pods are created, as the cluster reports it; empty if they are. */
  readonly replicaFailure: string;
}

export interface PodSummary extends ObjectSummary {
  readonly isReady: boolean;
  readonly problem: PodProblem | undefined;
}

export interface PodProblem {
  readonly reason: string;
  readonly message: string;
  /** True if the problem does not resolve itself. */
  readonly isPermanent: boolean;
}

/** One revision of a release, from the labels of its record. */
export interface ReleaseRecordSummary extends ObjectSummary {
  readonly owner: string;
  readonly digest: string;
  readonly status: string;
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

export interface NamespaceSummary extends ObjectSummary {
  readonly owner: string;
}

function summaryOf({ metadata }: KubeObject, release: string): ObjectSummary {
  const { namespace = '', name = '', uid = '', resourceVersion = '', deletionTimestamp } = metadata;
  return { namespace, name, release, uid, resourceVersion, isDeleting: deletionTimestamp !== undefined };
}

function labelOf({ metadata }: KubeObject, name: string): string {
  return metadata.labels?.[name] ?? '';
}

/** `undefined` for other services of a virtual cluster: only the one with its name serves its API. */
export function summarizeService(object: KubeObject): ServiceSummary | undefined {
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

export function summarizeWorkload(object: KubeObject): WorkloadSummary | undefined {
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
    replicaFailure: textAt(failure, 'message'),
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

export function summarizeReleaseRecord(object: KubeObject): ReleaseRecordSummary | undefined {
  const release = labelOf(object, 'name');
  const revision = Number.parseInt(labelOf(object, 'version'), 10);
  if (release === '' || Number.isNaN(revision)) return undefined;
  return {
    ...summaryOf(object, release),
    owner: labelOf(object, hostOwnerLabel),
    digest: labelOf(object, installDigestLabel),
    status: labelOf(object, 'status'),
    revision,
    createdAt: Date.parse(object.metadata.creationTimestamp ?? ''),
  };
}

export function summarizeNamespace(object: KubeObject): NamespaceSummary {
  return { ...summaryOf(object, ''), owner: labelOf(object, hostOwnerLabel) };
}

function isReadyPod(pod: JsonValue): boolean {
  return listAt(pod, 'status', 'conditions').some(
    (condition) => textAt(condition, 'type') === 'Ready' && textAt(condition, 'status') === 'True',
  );
}

export function summarizePod(
  object: KubeObject,
  troubleOf: (pod: JsonValue) => PodProblem | undefined,
): PodSummary | undefined {
  const release = labelOf(object, 'release');
  if (release === '') return undefined;
  const pod = object as JsonValue;
  const isReady = isReadyPod(pod);
  return { ...summaryOf(object, release), isReady, problem: isReady ? undefined : troubleOf(pod) };
}
