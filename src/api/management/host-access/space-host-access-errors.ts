import { type FieldError, forbiddenField } from '../../field-error.ts';
import { childPath } from '../../schema/field-path.ts';
import { defaultSpaceRole, grantableSpaceRoles } from '../space-roles.ts';
import type { AccessRule } from '../v1/access.ts';
import type { TemplateDefinition } from '../v1/template-definition.ts';
import { hasContent, type RestrictedDefinition } from './host-access-errors.ts';

/**
 * Returns the parts of the definition of a space that require the permission `hostaccess`: metadata of the namespace,
 * and roles with which users could remove its protection. Objects do not require the permission. On Kubernetes hosts,
 * the server applies them with permissions for only the allowed resources in the namespace. On the built-in cluster,
 * the server never applies roles or role bindings.
 */
export function spaceHostAccessErrors({ metadata, access }: TemplateDefinition, field: string): FieldError[] {
  const { defaultClusterRole = '', rules = [] } = access ?? {};
  const member = (name: string) => childPath(field, name);
  return [
    ...(hasContent(metadata)
      ? [
          forbiddenField(
            member('metadata'),
            'labels and annotations of the namespace require the permission hostaccess',
          ),
        ]
      : []),
    ...roleErrors(defaultClusterRole || defaultSpaceRole, member('access.defaultClusterRole')),
    ...rules.flatMap(({ clusterRole = '' }, index) =>
      roleErrors(clusterRole, member(`access.rules[${index}].clusterRole`)),
    ),
  ];
}

/** Returns the roles that a change of `spec.extraAccessRules` adds and that require the permission `hostaccess`. */
export function addedRoleErrors(rules: readonly AccessRule[] = [], before: readonly AccessRule[] = []): FieldError[] {
  const known = new Set(before.map((rule) => JSON.stringify(rule)));
  return rules.flatMap((rule, index) =>
    known.has(JSON.stringify(rule))
      ? []
      : roleErrors(rule.clusterRole ?? '', `spec.extraAccessRules[${index}].clusterRole`),
  );
}

/** Skip a template expression, because it is checked after rendering. */
function roleErrors(role: string, field: string): FieldError[] {
  if (role.includes('{{') || grantableSpaceRoles.includes(role)) return [];
  const detail = `roles other than ${grantableSpaceRoles.join(', ')} require the permission hostaccess`;
  return [forbiddenField(field, detail)];
}

/** Checks a rendered definition of a space whose author does not have the permission `hostaccess`. */
export function restrictSpaceDefinition(definition: TemplateDefinition): RestrictedDefinition {
  return { definition, errors: spaceHostAccessErrors(definition, '') };
}
