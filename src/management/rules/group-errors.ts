import { type FieldError, invalid, required } from '../../api/field-error.ts';
import type { KubeObject } from '../../api/meta.ts';
import { reservedSubjectPrefix, systemPrefix } from '../../api/naming.ts';
import { textsAt } from '../../lib/json-path.ts';

/** Groups that an object gives may not pretend to be Kubernetes' own. */
export function groupErrors(object: KubeObject): FieldError[] {
  return textsAt(object, 'spec', 'groups').flatMap((group, index) => {
    const path = `spec.groups[${index}]`;
    if (group === '') return [required(path)];
    return group.startsWith(systemPrefix) ? [invalid(path, group, `must not begin with ${systemPrefix}`)] : [];
  });
}

/** A subject that somebody chose may not pretend to be a name that Kubernetes or this server gives. */
export function subjectErrors(subject: string, field: string): FieldError[] {
  const prefix = [systemPrefix, reservedSubjectPrefix].find((one) => subject.startsWith(one));
  return prefix === undefined ? [] : [invalid(field, subject, `must not begin with ${prefix}`)];
}
