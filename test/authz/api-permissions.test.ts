import { type JsonObject, type JsonValue, listAt, textAt, textsAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { managementGroup, projectNamespace, projectRoles } from '../../src/api/naming.ts';
import { type AuthzTestEnv, openAuthzTestEnv } from './authz-test-env.ts';
import type { Received } from './caller.ts';
import { plainPersonas, scopedPersonas } from './personas.ts';

const root = '/kubernetes/management';
const group = `${root}/apis/${managementGroup}/v1`;
const instances = `${group}/namespaces/${projectNamespace('red')}/virtualclusterinstances`;

/** Cases that a matrix cell cannot express. On this server everybody may create projects. */
describe('permissions in the management API', () => {
  let env: AuthzTestEnv;
  const keys = new Map<string, string>();

  beforeAll(async () => {
    env = await openAuthzTestEnv('projects:\n  selfService: true\n');
    const scoped = scopedPersonas(['second-admin', 'red-user']).filter(({ name }) =>
      [
        'second-admin-rule-verbs',
        'second-admin-rule-names',
        'second-admin-project',
        'red-user-project',
        'red-user-tool',
      ].includes(name),
    );
    for (const [{ name }, key] of await env.keys([...plainPersonas, ...scoped])) keys.set(name, key);
  });
  afterAll(() => env.close());

  const tokenOf = (who: string) => keys.get(who) ?? '';
  const json = ({ text }: Received) => JSON.parse(text) as JsonObject;
  const nameOf = (item: JsonValue) => textAt(item, 'metadata', 'name');

  function post(who: string, path: string, body: JsonObject): Promise<Received> {
    return env.caller.send(tokenOf(who), { method: 'POST', path, body });
  }

  it('let everybody create a project if the setting allows it, and make the creator its admin', async () => {
    const made = await post('outsider', `${group}/projects`, { metadata: { name: 'own' } });
    expect(made.code, made.text).toBe(201);
    expect(listAt(json(made), 'spec', 'members')).toContainEqual({
      kind: 'User',
      name: 'outsider',
      clusterRole: projectRoles.admin,
    });
    expect((await post('red-user-project', `${group}/projects`, { metadata: { name: 'beyond' } })).code).toBe(403);
    for (const [field, value] of Object.entries<JsonValue>({
      owner: { user: 'red-user' },
      allowedClusters: [{ name: '*' }],
      allowedTemplates: [{ name: '*' }],
      quotas: { project: { virtualclusterinstances: 1000 } },
    })) {
      const refused = await post('outsider', `${group}/projects`, {
        metadata: { name: 'more' },
        spec: { [field]: value },
      });
      expect(refused.code, `${field}: ${refused.text}`).toBe(403);
    }
  });

  it('reveal a free name to callers who may create it, so that apply works, and to nobody else', async () => {
    const path = `${instances}/not-there`;
    const object = {
      apiVersion: `${managementGroup}/v1`,
      kind: 'VirtualClusterInstance',
      metadata: { name: 'not-there' },
    };
    const apply = {
      method: 'PATCH',
      path: `${path}?fieldManager=test&dryRun=All`,
      type: 'application/apply-patch+yaml',
      body: object,
    } as const;
    const codes = async (who: string) => [
      (await env.caller.send(tokenOf(who), { method: 'GET', path })).code,
      (await env.caller.send(tokenOf(who), apply)).code,
      (await env.caller.send(tokenOf(who), { method: 'DELETE', path })).code,
      (await env.caller.send(tokenOf(who), { method: 'GET', path: `${path}/status` })).code,
    ];
    expect(await codes('second-admin')).toEqual([404, 201, 404, 404]);
    expect(await codes('red-admin')).toEqual([404, 201, 404, 404]);
    expect(await codes('red-user')).toEqual([404, 201, 404, 403]);
    expect(await codes('red-user-project')).toEqual([404, 201, 404, 403]);
    expect(await codes('red-user-tool')).toEqual([404, 403, 403, 403]);
    for (const who of ['red-viewer', 'blue-admin', 'founder', 'reader', 'outsider']) {
      expect(await codes(who), who).toEqual([403, 403, 403, 403]);
    }
  });

  it('page a filtered list without a gap, and do not count hidden items (LIST-23)', async () => {
    const seen: string[] = [];
    let next = '';
    do {
      const path = `${group}/virtualclusterinstances?limit=1&continue=${encodeURIComponent(next)}`;
      const page = await env.read(path, tokenOf('red-user'));
      expect(page).not.toHaveProperty('metadata.remainingItemCount');
      seen.push(...listAt(page, 'items').map(nameOf));
      next = textAt(page, 'metadata', 'continue');
    } while (next !== '');
    expect(seen.sort()).toEqual(['b-shared', 'g-open', 'r-user']);
  });

  it('reveal no more through a selector, a Table or metadata alone', async () => {
    const token = tokenOf('red-user');
    const byName = await env.read(`${instances}?fieldSelector=metadata.name%3Dr-plain`, token);
    expect(listAt(byName, 'items')).toEqual([]);
    for (const as of ['as=Table;g=meta.k8s.io;v=v1', 'as=PartialObjectMetadataList;g=meta.k8s.io;v=v1']) {
      const accept = { accept: `application/json;${as}` };
      const answer = await env.caller.send(token, { method: 'GET', path: instances, headers: accept });
      expect(answer.code).toBe(200);
      expect(answer.text).toContain('r-user');
      expect(answer.text).not.toContain('r-plain');
    }
  });

  it('do not depend on the spelling of the path (REQ-01, REQ-07, REQ-08)', async () => {
    const red = projectNamespace('red');
    const blue = projectNamespace('blue');
    const spellings = [
      `${instances}/r-plain/`,
      `${instances}//r-plain`,
      `${instances}/r%2Dplain`,
      `${instances}/r-plain/status`,
      `${instances}/r-plain/status/`,
      `${group}/namespaces/${blue}/../${red}/virtualclusterinstances/r-plain`,
      `${group}/namespaces/${blue}%2f..%2f${red}/virtualclusterinstances/r-plain`,
      `${group}/namespaces/${red.toUpperCase()}/virtualclusterinstances/r-plain`,
      `${group}/virtualclusterinstances/r-plain`,
      `${root}/../management/apis/${managementGroup}/v1/namespaces/${red}/virtualclusterinstances/r-plain`,
    ];
    const outside = ['outsider', 'blue-admin'];
    for (const who of outside) {
      const path = `${group}/watch/namespaces/${red}/virtualclusterinstances/r-plain`;
      expect((await env.caller.send(tokenOf(who), { method: 'GET', path })).code, who).toBe(403);
    }
    for (const who of [...outside, 'second-admin-rule-names']) {
      for (const path of spellings) {
        for (const method of ['GET', 'HEAD', 'DELETE'] as const) {
          const { code } = await env.caller.send(tokenOf(who), { method, path });
          expect([400, 403, 404, 405], `${who} ${method} ${path}`).toContain(code);
        }
      }
    }
    expect((await env.read(`${instances}/r-plain`)).kind).toBe('VirtualClusterInstance');
  });

  it('are listed in a rules review exactly as requests are authorized', async () => {
    const review = `${root}/apis/authorization.k8s.io/v1`;
    for (const who of [
      'red-admin',
      'red-user',
      'red-viewer',
      'founder',
      'reader',
      'mate',
      'outsider',
      'red-user-tool',
    ]) {
      const answer = await post(who, `${review}/selfsubjectrulesreviews`, {
        spec: { namespace: projectNamespace('red') },
      });
      const rules = listAt(json(answer), 'status', 'resourceRules');
      expect(rules.length, who).toBeGreaterThan(0);
      for (const rule of rules) await expectEachAllowed(who, rule);
    }
  });

  /** Sends a request with each verb of the rule, for the first name in the rule. */
  async function expectEachAllowed(who: string, rule: JsonValue): Promise<void> {
    const [what = '*'] = textsAt(rule, 'resources');
    const [resource = '', subresource = ''] = what.split('/');
    const [name = ''] = textsAt(rule, 'resourceNames');
    const isNamespaced = [
      'virtualclusterinstances',
      'spaceinstances',
      'events',
      'leases',
      'projectwebhooks',
      'secrets',
      'configmaps',
    ].includes(resource);
    for (const verb of textsAt(rule, 'verbs')) {
      const [apiGroup = ''] = textsAt(rule, 'apiGroups');
      const attributes = {
        verb,
        group: apiGroup,
        resource,
        subresource,
        name,
        namespace: isNamespaced ? projectNamespace('red') : '',
      };
      const path = `${root}/apis/authorization.k8s.io/v1/selfsubjectaccessreviews`;
      const answer = await post(who, path, { spec: { resourceAttributes: attributes } });
      expect(json(answer).status, `${who} ${JSON.stringify(attributes)}`).toMatchObject({ allowed: true });
    }
  }

  it('let admins impersonate a user with the permissions that both have, and nobody else (AUTHZ-08)', async () => {
    const as = (user: string) => ({ 'impersonate-user': user, 'impersonate-group': `platform:user:${user}` });
    const get = async (who: string, path: string, user: string, method: 'GET' | 'DELETE' = 'GET') =>
      (await env.caller.send(tokenOf(who), { method, path, headers: as(user) })).code;
    const own = `${instances}/r-user`;
    expect(await get('second-admin', own, 'red-user')).toBe(200);
    expect(await get('second-admin', `${instances}/r-plain`, 'red-user')).toBe(403);
    expect(await get('red-admin', own, 'red-user')).toBe(403);
    expect(await get('red-admin', own, 'second-admin')).toBe(403);
    // The scope of the key also applies while its admin impersonates another user.
    expect(await get('second-admin-rule-verbs', `${own}?dryRun=All`, 'red-user', 'DELETE')).toBe(403);
    expect(await get('second-admin-project', `${group}/projects/blue`, 'blue-admin')).toBe(403);
  });

  it('refuse an owner reference that blocks an owner whom the caller may not delete (OWNER-07)', async () => {
    const project = await env.read(`${group}/projects/red`);
    const reference = {
      apiVersion: `${managementGroup}/v1`,
      kind: 'Project',
      name: 'red',
      uid: textAt(project, 'metadata', 'uid'),
      blockOwnerDeletion: true,
    };
    const path = `${instances}/r-user?dryRun=All`;
    const body = { metadata: { ownerReferences: [reference] } };
    const send = (who: string) =>
      env.caller.send(tokenOf(who), { method: 'PATCH', path, type: 'application/merge-patch+json', body });
    expect((await send('red-user')).code).toBe(422);
    expect((await send('second-admin')).code).toBe(200);
  });
});
