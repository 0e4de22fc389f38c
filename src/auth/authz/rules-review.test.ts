import { describe, expect, it } from 'vitest';
import { adminsGroup, projectNamespace, userGroup } from '../../api/naming.ts';
import { accessStateOf, testCluster, testInstance, testProject } from './access-state.fixture.ts';
import { decide } from './decide.ts';
import { guardedKinds } from './guarded-kinds.ts';
import { permissionRulesFor } from './rules-review.ts';
import { compileScope } from './scope.ts';
import type { AuthorizationSubject } from './subject.ts';

const anna: AuthorizationSubject = { user: { name: 'anna', groups: [userGroup('anna')] }, system: false, scopes: [] };
const admin: AuthorizationSubject = { user: { name: 'root', groups: [adminsGroup] }, system: false, scopes: [] };

const of = (owned: number) =>
  accessStateOf({
    projects: [testProject('p'), testProject('own', { owner: { user: 'anna' } }), testProject('other')],
    clusters: [testCluster('own', { access: [{ verbs: ['get', 'update'], users: ['anna'] }] }), testCluster('other')],
    instances: Array.from({ length: owned }, (_, at) => testInstance('p', `i${at}`, { owner: { user: 'anna' } })),
  });

describe('rulesFor (AUTHZ-05)', () => {
  it('an admin gets wildcard rules, and a scoped key of an admin what its scope allows', () => {
    expect(permissionRulesFor(admin, 'x', of(0))).toEqual({
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      incomplete: false,
    });
    const scrapes = compileScope({ rules: [{ nonResourceURLs: ['/metrics'] }] });
    const rules = permissionRulesFor({ ...admin, scopes: [scrapes] }, 'x', of(0));
    expect(rules.nonResourceRules).toEqual([{ verbs: ['get', 'head'], nonResourceURLs: ['/metrics'] }]);
    expect(rules.resourceRules.map(({ resources }) => resources[0])).toEqual([
      'ownedaccesskeys',
      'directclusterendpointtokens',
    ]);
  });

  it('settable fields are listed one by one, as the decision allows them', () => {
    const state = of(2);
    const everything = permissionRulesFor(anna, projectNamespace('p'), state).resourceRules;
    let allowedCount = 0;
    for (const guarded of guardedKinds()) {
      const { kind } = guarded;
      const fields = Object.keys(kind.schema.properties?.spec?.properties ?? {}).map((field) => `spec.${field}`);
      for (const subresource of [...fields, 'metadata.labels', 'metadata.finalizers', 'metadata.ownerReferences']) {
        if (guarded.permissionFor(subresource, 'update') === undefined) continue;
        for (const name of ['i0', 'own', 'other']) {
          const namespace = kind.namespaced ? projectNamespace('p') : '';
          const { group, version, plural } = kind;
          const attributes = { group, version, resource: plural, subresource, namespace, name };
          const may = decide(anna, { resourceRequest: true, verb: 'update', ...attributes }, state).allowed;
          const isListed = everything.some(
            ({ verbs, resources, apiGroups, resourceNames }) =>
              verbs.includes('update') &&
              apiGroups.includes(group) &&
              resources.includes(`${plural}/${subresource}`) &&
              (resourceNames ?? [name]).includes(name),
          );
          expect(isListed, `${plural}/${subresource} of ${name}`).toBe(may);
          if (may) allowedCount++;
        }
      }
    }
    expect(allowedCount).toBeGreaterThan(8);
  });

  it('each object with permissions is named, and the result is incomplete if there are too many', () => {
    const namesOf = (count: number) => {
      const rules = permissionRulesFor(anna, projectNamespace('p'), of(count));
      return { ...rules, names: rules.resourceRules.find(({ verbs }) => verbs.includes('delete'))?.resourceNames };
    };
    expect(namesOf(3)).toMatchObject({ incomplete: false, names: ['i0', 'i1', 'i2'] });
    expect(namesOf(3)).not.toHaveProperty('evaluationError');
    expect(namesOf(600)).toMatchObject({
      incomplete: true,
      evaluationError: 'too many objects to list all permissions on: virtualclusterinstances',
    });
  });
});
