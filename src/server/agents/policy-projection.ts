import type { KubeObject } from '../../api/meta.ts';
import { sleepForceAnnotation } from '../../api/naming.ts';
import { objectAt, textAt } from '../../lib/json-path.ts';
import type { JsonObject, JsonValue } from '../../lib/json-value.ts';

/*
 * The fields that an agent needs for its decisions. An agent runs in an environment that others control, so it receives
 * nothing else, in particular no parameters and no values, which may contain passwords.
 */

export function projectedCluster(cluster: KubeObject): JsonObject {
  return { metadata: identity(cluster), spec: pick(objectAt(cluster, 'spec'), ['owner', 'access']) };
}

export function projectedProject(project: KubeObject): JsonObject {
  return { metadata: identity(project), spec: pick(objectAt(project, 'spec'), ['owner', 'members', 'access']) };
}

const instanceSpec = ['owner', 'access', 'extraAccessRules', 'clusterRef', 'external'];
const instanceStatus = ['serviceUID', 'phase', 'reason', 'message', 'deployHash'];

export function projectedInstance(instance: KubeObject): JsonObject {
  const spec = objectAt(instance, 'spec') ?? {};
  const status = objectAt(instance, 'status') ?? {};
  const template = textAt(spec, 'templateRef', 'name');
  const rendered = objectAt(status, 'virtualCluster');
  return {
    metadata: identity(instance),
    spec: {
      ...pick(spec, instanceSpec),
      ...(template === '' ? {} : { templateRef: { name: template } }),
      ...(spec.template === undefined ? {} : { template: {} }),
    },
    status: {
      ...pick(status, instanceStatus),
      ...(rendered === undefined ? {} : { virtualCluster: pick(rendered, ['access']) }),
    },
  };
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

/** True for annotations that decisions use: this one controls whether a virtual cluster may be woken. */
function isRelevantAnnotation(annotation: string): boolean {
  return annotation === sleepForceAnnotation;
}

function pick(from: JsonObject | undefined, members: readonly string[]): JsonObject {
  const picked: Record<string, JsonValue> = {};
  for (const member of members) {
    const value = from?.[member];
    if (value !== undefined) picked[member] = value;
  }
  return picked;
}
