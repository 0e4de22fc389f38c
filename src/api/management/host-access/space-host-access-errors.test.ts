import { describe, expect, it } from 'vitest';
import { addedRoleErrors, restrictSpaceDefinition, spaceHostAccessErrors } from './space-host-access-errors.ts';

describe('the definition of a space by an author without host access', () => {
  it('may contain objects, quota, limits and the roles admin, edit and view', () => {
    const definition = {
      objects: 'kind: ConfigMap',
      resourceQuota: { pods: 5 },
      access: { defaultClusterRole: 'edit', rules: [{ users: ['anna'], clusterRole: 'view' }] },
    };
    expect(spaceHostAccessErrors(definition, 'spec.template')).toEqual([]);
  });

  it('may contain neither metadata of the namespace nor other roles', () => {
    const definition = {
      metadata: { labels: { a: '' } },
      access: { defaultClusterRole: 'cluster-admin', rules: [{ users: ['anna'], clusterRole: 'root' }] },
    };
    expect(spaceHostAccessErrors(definition, 'spec.template').map(({ field }) => field)).toEqual([
      'spec.template.metadata',
      'spec.template.access.defaultClusterRole',
      'spec.template.access.rules[0].clusterRole',
    ]);
  });

  it('is checked again after rendering, when roles can no longer be template expressions', () => {
    const expression = { access: { defaultClusterRole: '{{ .Values.role }}' } };
    expect(spaceHostAccessErrors(expression, '')).toEqual([]);
    const { errors } = restrictSpaceDefinition({ access: { defaultClusterRole: 'cluster-admin' } });
    expect(errors.map(({ field }) => field)).toEqual(['access.defaultClusterRole']);
  });
});

it('a change of access rules needs host access only for roles that it adds', () => {
  const strong = { users: ['anna'], clusterRole: 'cluster-admin' };
  expect(addedRoleErrors([strong], [strong])).toEqual([]);
  expect(addedRoleErrors([{ teams: ['crew'], clusterRole: 'edit' }])).toEqual([]);
  expect(addedRoleErrors([strong, { ...strong, users: ['ben'] }], [strong]).map(({ field }) => field)).toEqual([
    'spec.extraAccessRules[1].clusterRole',
  ]);
});
