import { describe, expect, it } from 'vitest';
import { adminsGroup, projectNamespace, userGroup } from '../../api/naming.ts';
import { instance, project, stateOf } from './access-state.fixture.ts';
import { rulesFor } from './rules-review.ts';
import { compileScope } from './scope.ts';
import type { Subject } from './subject.ts';

const anna: Subject = { user: { name: 'anna', groups: [userGroup('anna')] }, system: false, scopes: [] };
const admin: Subject = { user: { name: 'root', groups: [adminsGroup] }, system: false, scopes: [] };

const of = (owned: number) =>
  stateOf({
    projects: [project('p')],
    instances: Array.from({ length: owned }, (_, at) => instance('p', `i${at}`, { owner: { user: 'anna' } })),
  });

describe('rulesFor (AUTHZ-05)', () => {
  it('shows admins that they may everything, and their scoped keys what these reach', () => {
    expect(rulesFor(admin, 'x', of(0))).toEqual({
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      incomplete: false,
    });
    const scrapes = compileScope({ rules: [{ nonResourceURLs: ['/metrics'] }] });
    const rules = rulesFor({ ...admin, scopes: [scrapes] }, 'x', of(0));
    expect(rules.nonResourceRules).toEqual([{ verbs: ['get', 'head'], nonResourceURLs: ['/metrics'] }]);
    expect(rules.resourceRules.map(({ resources }) => resources[0])).toEqual([
      'ownedaccesskeys',
      'directclusterendpointtokens',
    ]);
  });

  it('names each object that rights are for, and says so where there are too many to name', () => {
    const namesOf = (count: number) => {
      const rules = rulesFor(anna, projectNamespace('p'), of(count));
      return { ...rules, names: rules.resourceRules.find(({ verbs }) => verbs.includes('delete'))?.resourceNames };
    };
    expect(namesOf(3)).toMatchObject({ incomplete: false, names: ['i0', 'i1', 'i2'] });
    expect(namesOf(3)).not.toHaveProperty('evaluationError');
    expect(namesOf(600)).toMatchObject({
      incomplete: true,
      evaluationError: 'there are too many objects to name all that may be used: virtualclusterinstances',
    });
  });
});
