import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { openManagementTestEnv, rejectionStatus } from '../management.fixture.ts';

async function openEnv() {
  const env = await openManagementTestEnv();
  for (const name of ['anna', 'bob', 'stranger']) await env.create('users', name, {});
  const member = (name: string) => ({ kind: 'User', name, clusterRole: 'platform-management-project-user' });
  await env.create('projects', 'shop', {
    members: [member('anna'), member('bob')],
    allowedTemplates: [{ name: '*' }],
    allowedClusters: [{ name: '*' }],
  });
  const warningsOf = async (plural: string, spec: JsonObject, context = env.admin()) => {
    await env.create(plural, 'x', spec, context);
    return context.warnings;
  };
  return { ...env, warningsOf };
}

describe('names that do not exist', () => {
  it('in an access list cause a warning, the same as names that the caller may not read', async () => {
    const { warningsOf, as } = await openEnv();
    const access = [{ verbs: ['get'], users: ['bob', 'stranger', 'nobody', '*'], teams: ['none'] }];
    const unknown = (at: string) =>
      expect.stringMatching(`^spec\\.access\\[0\\]\\.${at}: .* does not exist yet, or you may not read it$`);
    expect(await warningsOf('virtualclusterinstances', { access }, as('anna', 'shop'))).toEqual([
      unknown('users\\[1\\]'),
      unknown('users\\[2\\]'),
      unknown('teams\\[0\\]'),
    ]);
  });

  it('in an access list cause no warning for admins if they exist', async () => {
    const { warningsOf } = await openEnv();
    expect(await warningsOf('teams', { access: [{ verbs: ['get'], users: ['bob', 'nobody'] }] })).toHaveLength(1);
  });

  it('in a scope cause a warning', async () => {
    const { warningsOf } = await openEnv();
    const scope = {
      projects: [{ project: 'shop' }, { project: 'shpo' }, { project: '*' }],
      clusters: [{ cluster: 'moon' }],
      rules: [{ verbs: ['get', 'reed'] }],
    };
    expect(await warningsOf('ownedaccesskeys', { scope })).toEqual([
      expect.stringContaining('spec.scope.projects[1].project: project "shpo" does not exist'),
      expect.stringContaining('spec.scope.clusters[0].cluster: cluster "moon" does not exist'),
      expect.stringContaining('spec.scope.rules[0].verbs[1]: no request has the verb "reed"'),
    ]);
  });
});

describe('verbs in an access list', () => {
  it('must exist', async () => {
    const { create } = await openEnv();
    const access = [{ verbs: ['get', 'read'], users: ['bob'] }];
    expect(await rejectionStatus(create('teams', 'x', { access }))).toMatchObject({
      code: 422,
      message: expect.stringContaining('spec.access[0].verbs[1]: Unsupported value: "read"'),
    });
  });
});
