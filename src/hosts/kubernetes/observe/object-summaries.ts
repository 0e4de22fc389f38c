import { type JsonValue, listAt, numberAt, textAt } from '@flotilla/json';
import type { KubeObject } from '../../../api/meta.ts';
import {
  dataLostAnnotation,
  fallingAsleepAnnotation,
  hostOwnerLabel,
  installDigestLabel,
} from '../../../api/naming.ts';
import { apiPort, controlPlaneApp } from '../release/chart-labels.ts';

/** The fields of a Kubernetes object that are cached. A thousand complete pods would take ten megabytes of memory. */
export interface ObjectSummary {
  readonly namespace: string;
  readonly name: string;
  /** The name of the virtual cluster to which the object belongs. It is also the name of the Helm release. */
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
  /** The port of the service at which the API of the virtual cluster is served. */
  readonly port: number;
  readonly targetPort: number;
}

export interface WorkloadSummary extends ObjectSummary {
  readonly isControlPlane: boolean;
  readonly replicas: number;
  readonly isFallingAsleep: boolean;
  /** The time at which a sleep deleted the data, in RFC 3339; empty if the last sleep kept it. */
  readonly dataLostAt: string;
  /** The Kubernetes version in the tag of the image; empty if the tag contains none. */
  readonly kubernetesVersion: string;
  /** The reason why pods cannot be created, from the ReplicaFailure condition; empty if there is no such problem. */
  readonly replicaFailure: string;
}

export interface PodSummary extends ObjectSummary {
  readonly isReady: boolean;
  readonly problem: PodProblem | undefined;
}

export interface PodProblem {
  readonly reason: string;
  readonly message: string;
  /** True if the problem persists until a user does something about it. */
  readonly isPermanent: boolean;
}

/** One revision of a Helm release, from the labels of the secret in which Helm records the revision. */
export interface ReleaseRecordSummary extends ObjectSummary {
  readonly owner: string;
  readonly digest: string;
  readonly status: string;
  readonly revision: number;
  /** The creation time in milliseconds since the epoch. */
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

/**
 * Summarizes the service that serves the API of a virtual cluster. That service has the name of the virtual cluster.
 * Returns `undefined` for any other service.
 */
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

/**
 * The maximum accepted length of a time in RFC 3339. The limit is needed because a user of the host can write any text.
 */
const maxTimeLength = 20;

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
    dataLostAt: (object.metadata.annotations?.[dataLostAnnotation] ?? '').slice(0, maxTimeLength),
    kubernetesVersion: versionInImages(workload),
    replicaFailure: textAt(failure, 'message'),
  };
}

/** Returns the Kubernetes version from the image tag of the init container that copies the Kubernetes binaries. */
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
