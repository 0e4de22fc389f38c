import { type JsonValue, objectAt, textAt, valueAt } from '@flotilla/json';
import { byteLength, labelFaults, pathSegmentFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { ageColumn, column } from '../../../api/columns.ts';
import { type FieldError, forbiddenField, invalid, notSupported, required, tooLong } from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/meta.ts';
import type { KubernetesKind } from '../kubernetes-kind.ts';
import { domainPrefixedPathErrors, immutableErrors } from '../rules/field-rules.ts';
import { classNameColumn } from './columns.ts';
import { ingress } from './ingresses.ts';
import { networkPolicy } from './network-policies.ts';

const group = 'networking.k8s.io';
const maxControllerLength = 250;
const scopes = ['Cluster', 'Namespace'];

function controllerErrors(controller: string): FieldError[] {
  const path = 'spec.controller';
  const errors = byteLength(controller) > maxControllerLength ? [tooLong(path, maxControllerLength)] : [];
  return [...errors, ...domainPrefixedPathErrors(path, controller)];
}

function parameterErrors(parameters: JsonValue | undefined): FieldError[] {
  if (parameters === undefined) return [];
  const path = 'spec.parameters';
  const apiGroup = valueAt(parameters, 'apiGroup');
  const segmentErrors = (member: string) => {
    const value = textAt(parameters, member);
    if (value === '') return [required(`${path}.${member}`)];
    return pathSegmentFaults(value).map((fault) => invalid(`${path}.${member}`, value, fault));
  };
  return [
    ...(typeof apiGroup === 'string' ? subdomainFaults(apiGroup) : []).map((fault) =>
      invalid(`${path}.apiGroup`, apiGroup, fault),
    ),
    ...segmentErrors('kind'),
    ...segmentErrors('name'),
    ...scopeErrors(parameters, path),
  ];
}

function scopeErrors(parameters: JsonValue, path: string): FieldError[] {
  const scope = textAt(parameters, 'scope');
  const namespace = valueAt(parameters, 'namespace');
  const field = `${path}.namespace`;
  if (!scopes.includes(scope)) return [notSupported(`${path}.scope`, scope, scopes)];
  if (scope === 'Cluster') {
    return namespace === undefined ? [] : [forbiddenField(field, "`parameters.scope` is set to 'Cluster'")];
  }
  if (typeof namespace !== 'string') return [required(field, "`parameters.scope` is set to 'Namespace'")];
  return labelFaults(namespace).map((fault) => invalid(field, namespace, fault));
}

const controllerOf = (object: KubeObject) => textAt(object as JsonValue, 'spec', 'controller');

function ingressClassErrors(object: KubeObject): FieldError[] {
  return [
    ...controllerErrors(controllerOf(object)),
    ...parameterErrors(objectAt(object as JsonValue, 'spec', 'parameters')),
  ];
}

/** Returns the object that contains the parameters: `kind.group/name`. */
function parametersOf(object: KubeObject): string {
  const parameters = objectAt(object as JsonValue, 'spec', 'parameters');
  if (parameters === undefined) return '<none>';
  const apiGroup = valueAt(parameters, 'apiGroup');
  const group = typeof apiGroup === 'string' ? `.${apiGroup}` : '';
  return `${textAt(parameters, 'kind')}${group}/${textAt(parameters, 'name')}`;
}

const ingressClass: KubernetesKind = {
  struct: 'networking.IngressClass',
  group,
  plural: 'ingressclasses',
  namespaced: false,
  description: 'The controller that implements the ingresses which name this class.',
  generation: { first: 1, increasedBy: 'spec' },
  unconditionalUpdate: true,
  validate: ingressClassErrors,
  validateUpdate: (object, old) => [
    ...immutableErrors('spec.controller', controllerOf(object), controllerOf(old)),
    ...ingressClassErrors(object),
  ],
  columns: [
    classNameColumn(['ingressclass.kubernetes.io/is-default-class']),
    column('Controller', 'spec.controller', { description: 'The name of the controller.' }),
    column('Parameters', parametersOf, { description: 'An object with further parameters for the controller.' }),
    ageColumn,
  ],
};

/** The kinds of networking.k8s.io/v1. */
export const networkingKinds: readonly KubernetesKind[] = [ingress, ingressClass, networkPolicy];
