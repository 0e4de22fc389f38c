import type { JsonObject, JsonValue } from '@flotilla/json';
import { sleepRefusal } from '../../api/management/sleep-reasons.ts';
import type { Cluster } from '../../api/management/v1/cluster.ts';
import type { Project } from '../../api/management/v1/project.ts';
import type { SpaceInstance } from '../../api/management/v1/space-instance.ts';
import type { VirtualClusterInstance } from '../../api/management/v1/virtual-cluster-instance.ts';
import type { KubeObject } from '../../api/meta.ts';
import { sleepForceAnnotation } from '../../api/naming.ts';

/*
 * The fields that an agent needs for its decisions. An agent runs in an environment that others control, so it receives
 * nothing else, in particular no parameters and no values, which may contain passwords.
 */

export function projectedCluster(cluster: Cluster): JsonObject {
  return { metadata: identity(cluster), spec: pick(cluster.spec ?? {}, ['owner', 'access']) };
}

export function projectedProject(project: Project): JsonObject {
  return { metadata: identity(project), spec: pick(project.spec ?? {}, ['owner', 'members', 'access']) };
}

const instanceSpec = ['owner', 'access', 'extraAccessRules', 'clusterRef', 'external'] as const;
const instanceStatus = ['serviceUID', 'phase', 'reason', 'message', 'deployHash', 'revokedTokens'] as const;

export function projectedInstance(instance: VirtualClusterInstance): JsonObject {
  const { spec = {}, status = {} } = instance;
  const rendered = status.virtualCluster;
  const refusal = sleepRefusal(instance);
  return {
    metadata: identity(instance),
    spec: { ...pick(spec, instanceSpec), ...templateMarkers(spec) },
    status: {
      ...pick(status, instanceStatus),
      ...(rendered === undefined ? {} : { virtualCluster: pick(rendered, ['access']) }),
      // The condition is included because an instance that is to sleep may have to stay awake. The gateway of an agent
      // must not reject requests to such an instance.
      ...(refusal === undefined ? {} : { conditions: [pick(refusal, ['type', 'status', 'reason'])] }),
    },
  };
}

const spaceSpec = ['owner', 'access', 'extraAccessRules', 'clusterRef'] as const;
const spaceStatus = ['hostNamespace', 'phase', 'reason', 'message', 'installHash'] as const;

export function projectedSpace(instance: SpaceInstance): JsonObject {
  const { spec = {}, status = {} } = instance;
  return {
    metadata: identity(instance),
    spec: { ...pick(spec, spaceSpec), ...templateMarkers(spec) },
    status: {
      ...pick(status, spaceStatus),
      ...(status.space === undefined ? {} : { space: pick(status.space, ['access']) }),
    },
  };
}

/**
 * Returns fields that show the agent whether the instance has a template. The contents of the template are left out.
 */
function templateMarkers({ templateRef, template }: NonNullable<(VirtualClusterInstance | SpaceInstance)['spec']>) {
  const name = templateRef?.name ?? '';
  return { ...(name === '' ? {} : { templateRef: { name } }), ...(template === undefined ? {} : { template: {} }) };
}

function identity({ metadata }: KubeObject): JsonObject {
  const { name = '', namespace, uid = '', generation, deletionTimestamp, annotations } = metadata;
  const relevant = Object.entries(annotations ?? {}).filter(([key]) => isRelevantAnnotation(key));
  return {
    name,
    uid,
    ...(generation === undefined ? {} : { generation }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    ...(relevant.length === 0 ? {} : { annotations: Object.fromEntries(relevant) }),
  };
}

/** True for the only annotation that an agent needs. It decides whether a request may wake a virtual cluster. */
function isRelevantAnnotation(annotation: string): boolean {
  return annotation === sleepForceAnnotation;
}

function pick<From extends JsonObject>(from: From, members: readonly (keyof From & string)[]): JsonObject {
  const picked: Record<string, JsonValue> = {};
  for (const member of members) {
    const value: JsonValue | undefined = from[member];
    if (value !== undefined) picked[member] = value;
  }
  return picked;
}
