import { type FieldError, invalid, required } from '../../api/field-error.ts';
import { reservedSubjectPrefix, systemPrefix } from '../../api/naming.ts';

/** Rejects empty groups and groups with the prefix `system:`, which Kubernetes reserves. */
export function groupErrors(groups: readonly string[] = []): FieldError[] {
  return groups.flatMap((group, index) => {
    const path = `spec.groups[${index}]`;
    if (group === '') return [required(path)];
    return group.startsWith(systemPrefix) ? [invalid(path, group, `must not begin with ${systemPrefix}`)] : [];
  });
}

/** Rejects a client-supplied subject with a prefix that Kubernetes or this server reserves. */
export function subjectErrors(subject: string, field: string): FieldError[] {
  const prefix = [systemPrefix, reservedSubjectPrefix].find((one) => subject.startsWith(one));
  return prefix === undefined ? [] : [invalid(field, subject, `must not begin with ${prefix}`)];
}
