import type { AuditEvent } from '../../../src/api/audit/audit-event.ts';
import { managementGroup, projectOfNamespace } from '../../../src/api/naming.ts';
import type { BadgeTone } from '../../components/object/status-badge.tsx';

/**
 * Returns the resource of a request, such as `virtualclusterinstances/kubeconfig "demo" in project "shop"`. For a
 * request without a resource, returns the URL path.
 */
export function requestText({ objectRef, requestURI }: AuditEvent): string {
  if (objectRef === undefined) return requestURI.split('?')[0] ?? requestURI;
  const { resource, subresource, name, namespace, apiGroup = '' } = objectRef;
  const group = apiGroup === '' || apiGroup === managementGroup ? '' : `.${apiGroup}`;
  const what = `${resource}${group}${subresource === undefined || subresource === '' ? '' : `/${subresource}`}`;
  const project = projectOfNamespace(namespace ?? '');
  const where =
    project !== undefined
      ? ` in project "${project}"`
      : namespace === undefined || namespace === ''
        ? ''
        : ` in namespace "${namespace}"`;
  return `${what}${name === undefined || name === '' ? '' : ` "${name}"`}${where}`;
}

/** Returns the name of the user, and the name of the impersonated user if there is one. */
export function userText({ user, impersonatedUser }: AuditEvent): string {
  const who = user?.username || 'unknown user';
  return impersonatedUser === undefined ? who : `${who} as ${impersonatedUser.username}`;
}

/** Returns the badge color for a response code. */
export function codeTone(code: number | undefined): BadgeTone {
  if (code === undefined) return 'off';
  if (code >= 500) return 'bad';
  return code >= 400 ? 'busy' : 'good';
}
