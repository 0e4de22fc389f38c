import { equalJson } from '@flotilla/json';
import { pathSegmentFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, invalid, notSupported, required } from '../../api/field-error.ts';
import type { KubeObject } from '../../api/meta.ts';
import { roleRefOf, type Subject, subjectsOf } from '../../api/rbac/binding.ts';
import { rbacGroup } from '../../api/rbac/policy-rule.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { childPath, indexPath } from '../../api/schema/field-path.ts';

/** Sets missing API groups of the roleRef and of the subjects to their defaults. */
export function setDefaultApiGroups(binding: KubeObject): void {
  const { apiGroup, kind, name } = roleRefOf(binding);
  binding.roleRef = { apiGroup: apiGroup || rbacGroup, kind, name };
  for (const subject of subjectsOf(binding)) {
    if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ||= rbacGroup;
  }
}

/** Returns the errors that the schema does not cover. A ClusterRoleBinding can only refer to a ClusterRole. */
export function roleBindingErrors(
  { namespaced }: Pick<ResourceKind, 'namespaced'>,
  binding: KubeObject,
  old: KubeObject | undefined,
): readonly FieldError[] {
  const errors = roleRefErrors(binding, namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole']);
  for (const [index, subject] of subjectsOf(binding).entries()) {
    errors.push(...subjectErrors(subject, namespaced, indexPath('subjects', index)));
  }
  if (old !== undefined && !equalJson(roleRefOf(binding), roleRefOf(old))) {
    const { apiGroup = '', kind, name } = roleRefOf(binding);
    // Kubernetes prints its Go struct, so the value has the member names of that struct.
    errors.push(invalid('roleRef', { APIGroup: apiGroup, Kind: kind, Name: name }, 'cannot change roleRef'));
  }
  return errors;
}

function roleRefErrors(binding: KubeObject, kinds: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  const { apiGroup, kind, name } = roleRefOf(binding);
  if (apiGroup !== rbacGroup) errors.push(notSupported('roleRef.apiGroup', apiGroup, [rbacGroup]));
  if (!kinds.includes(kind)) errors.push(notSupported('roleRef.kind', kind, kinds));
  if (name === '') errors.push(required('roleRef.name'));
  for (const fault of pathSegmentFaults(name)) errors.push(invalid('roleRef.name', name, fault));
  return errors;
}

function subjectErrors(subject: Subject, isNamespaced: boolean, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { kind, apiGroup = '', name, namespace = '' } = subject;
  if (name === '') errors.push(required(childPath(path, 'name')));
  switch (kind) {
    case 'ServiceAccount':
      if (name !== '') {
        for (const fault of subdomainFaults(name)) errors.push(invalid(childPath(path, 'name'), name, fault));
      }
      if (apiGroup !== '') errors.push(notSupported(childPath(path, 'apiGroup'), apiGroup, ['']));
      if (!isNamespaced && namespace === '') errors.push(required(childPath(path, 'namespace')));
      break;
    case 'User':
    case 'Group':
      if (apiGroup !== rbacGroup) errors.push(notSupported(childPath(path, 'apiGroup'), apiGroup, [rbacGroup]));
      break;
    default:
      errors.push(notSupported(childPath(path, 'kind'), kind, ['ServiceAccount', 'User', 'Group']));
  }
  return errors;
}
