import {
  cloneJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  textAt,
  textsAt,
} from '@flotilla/json';
import { ageColumn, column } from '../../../api/columns.ts';
import type { KubeObject } from '../../../api/meta.ts';
import type { Column } from '../../../api/resource.ts';
import type { KubernetesKind } from '../kubernetes-kind.ts';
import { nodeErrors, nodeUpdateErrors, nodeWarnings } from '../rules/nodes/node-object-rules.ts';

const rolePrefix = 'node-role.kubernetes.io/';
const roleLabel = 'kubernetes.io/role';
const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** Makes `podCIDR` the first of `podCIDRs`. If a client sends both and they differ, `podCIDR` takes precedence. */
function completeRanges(node: JsonObject): void {
  const spec = isJsonObject(node.spec) ? node.spec : undefined;
  if (spec === undefined) return;
  const first = textAt(spec, 'podCIDR');
  const ranges = textsAt(spec, 'podCIDRs');
  if (first !== '' && first !== ranges[0]) spec.podCIDRs = [first];
  else if (ranges[0] !== undefined) spec.podCIDR = ranges[0];
}

/**
 * Removes the member for the configuration of kubelets through the API, because Kubernetes has removed this feature.
 * Unlike objects of other kinds, a new node keeps the status that the client sends.
 */
function prepareNode(object: KubeObject, old: KubeObject | undefined, sent: KubeObject | undefined): void {
  if (old === undefined && isJsonObject(sent?.status)) object.status = cloneJson(sent.status);
  delete objectAt(object as JsonValue, 'spec')?.configSource;
  delete objectAt(object as JsonValue, 'status')?.config;
}

/** Adds the `not-ready` taint to a new node, as the admission of Kubernetes does. */
export function taintNewNode(object: KubeObject): void {
  const node = object as JsonObject;
  const spec = isJsonObject(node.spec) ? node.spec : {};
  const taints = Array.isArray(spec.taints) ? spec.taints : [];
  const isTainted = taints.some(
    (taint) => textAt(taint, 'key') === notReady.key && textAt(taint, 'effect') === notReady.effect,
  );
  if (!isTainted) node.spec = { ...spec, taints: [...taints, { ...notReady }] };
}

function stateOf(object: KubeObject): string {
  const ready = listAt(object as JsonValue, 'status', 'conditions').findLast(
    (condition) => textAt(condition, 'type') === 'Ready',
  );
  const state = ready === undefined ? 'Unknown' : textAt(ready, 'status') === 'True' ? 'Ready' : 'NotReady';
  const isClosed = objectAt(object as JsonValue, 'spec')?.unschedulable === true;
  return isClosed ? `${state},SchedulingDisabled` : state;
}

function rolesOf({ metadata }: KubeObject): string {
  const roles = Object.entries(metadata.labels ?? {}).flatMap(([label, value]) => {
    if (label.startsWith(rolePrefix)) return [label.slice(rolePrefix.length)];
    return label === roleLabel ? [value] : [];
  });
  const named = new Set(roles.filter((role) => role !== ''));
  return [...named].toSorted().join(',') || '<none>';
}

function addressColumn(name: string, type: string, description: string): Column {
  const address = (object: KubeObject) => {
    const found = listAt(object as JsonValue, 'status', 'addresses').find((item) => textAt(item, 'type') === type);
    return found === undefined ? '<none>' : textAt(found, 'address');
  };
  return column(name, address, { description, wide: true });
}

function infoColumn(name: string, member: string, description: string): Column {
  const value = (object: KubeObject) => textAt(object as JsonValue, 'status', 'nodeInfo', member) || '<unknown>';
  return column(name, value, { description, wide: true });
}

function kernelOf(object: KubeObject): string {
  const info = objectAt(object as JsonValue, 'status', 'nodeInfo');
  const architecture = textAt(info, 'architecture');
  return `${textAt(info, 'kernelVersion') || '<unknown>'}${architecture === '' ? '' : ` (${architecture})`}`;
}

/** Nodes of core/v1. The built-in cluster has no nodes; tenants may store nodes for their own programs. */
export const node: KubernetesKind = {
  struct: 'core.Node',
  group: '',
  plural: 'nodes',
  shortNames: ['no'],
  namespaced: false,
  description: 'A machine that runs pods.',
  selectableFields: ['spec.unschedulable'],
  unconditionalUpdate: true,
  complete: completeRanges,
  prepare: prepareNode,
  validate: nodeErrors,
  *validateUpdate(object, old) {
    yield* nodeErrors(object);
    yield* nodeUpdateErrors(object, old);
  },
  warnings: nodeWarnings,
  status: {
    keeps: [],
    prepare: (object) => void delete objectAt(object as JsonValue, 'status')?.config,
    validate: nodeUpdateErrors,
  },
  columns: [
    column('Status', stateOf, { description: 'The state of the node.' }),
    column('Roles', rolesOf, { description: 'The roles of the node.' }),
    ageColumn,
    column('Version', (object) => textAt(object as JsonValue, 'status', 'nodeInfo', 'kubeletVersion'), {
      description: 'The version of the kubelet.',
    }),
    addressColumn('Internal-IP', 'InternalIP', 'The address inside the cluster.'),
    addressColumn('External-IP', 'ExternalIP', 'The address for clients outside the cluster.'),
    infoColumn('OS-Image', 'osImage', 'The operating system.'),
    column('Kernel-Version', kernelOf, { description: 'The version of the kernel.', wide: true }),
    infoColumn('Container-Runtime', 'containerRuntimeVersion', 'The program that runs containers.'),
  ],
};
