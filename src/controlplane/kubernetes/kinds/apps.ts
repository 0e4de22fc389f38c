import { isJsonObject, type JsonValue, numberAt, valueAt } from '@flotilla/json';
import { ageColumn, column } from '../../../api/columns.ts';
import { type FieldError, required } from '../../../api/field-error.ts';
import { type KubeObject, parseApiVersion } from '../../../api/meta.ts';
import type { KubernetesKind } from '../kubernetes-kind.ts';
import { immutableErrors, nonNegativeErrors } from '../rules/field-rules.ts';
import { deployment, replicaSet } from './workloads/deployments.ts';
import { daemonSet, statefulSet } from './workloads/pod-sets.ts';

function revisionErrors(object: KubeObject): FieldError[] {
  return nonNegativeErrors('revision', numberAt(object as JsonValue, 'revision') ?? 0);
}

function dataErrors(object: KubeObject): FieldError[] {
  const data = valueAt(object as JsonValue, 'data') ?? null;
  if (data === null) return [required('data', 'data is mandatory')];
  return isJsonObject(data) ? [] : [required('data', 'data must be a valid JSON object')];
}

/** Returns the kind and the name of the controller, as kubectl prints them: `statefulset.apps/web`. */
function controllerOf({ metadata }: KubeObject): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined) return '<none>';
  const { group } = parseApiVersion(owner.apiVersion);
  const kind = group === '' ? owner.kind : `${owner.kind}.${group}`;
  return `${kind.toLowerCase()}/${owner.name}`;
}

/** The kinds of apps/v1. */
export const appsKinds: readonly KubernetesKind[] = [
  deployment,
  replicaSet,
  statefulSet,
  daemonSet,
  {
    struct: 'apps.ControllerRevision',
    group: 'apps',
    plural: 'controllerrevisions',
    namespaced: true,
    description: 'An immutable state that a controller has saved, for example to return to it.',
    unconditionalUpdate: true,
    validate: (object) => [...revisionErrors(object), ...dataErrors(object)],
    validateUpdate: (object, old) => [
      ...revisionErrors(object),
      ...immutableErrors('data', valueAt(object as JsonValue, 'data'), valueAt(old as JsonValue, 'data')),
    ],
    columns: [
      column('Controller', controllerOf, { description: 'The controller of the object.' }),
      column('Revision', 'revision', { type: 'integer', description: 'The number of the revision.' }),
      ageColumn,
    ],
  },
];
