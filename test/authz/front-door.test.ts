import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { managementGroup, projectNamespace, projectRoles } from '../../src/api/naming.ts';
import { listAt, textAt, textsAt } from '../../src/lib/json-path.ts';
import type { JsonObject, JsonValue } from '../../src/lib/json-value.ts';
import type { Received } from './caller.ts';
import { plainPersonas, scopedPersonas } from './personas.ts';
import { openStage, type Stage } from './stage.ts';

const root = '/kubernetes/management';
const group = `${root}/apis/${managementGroup}/v1`;
const instances = `${group}/namespaces/${projectNamespace('red')}/virtualclusterinstances`;

/** What the matrix cannot say in a cell. The server lets everybody make projects. */
describe('rights at the front door', () => {
  let stage: Stage;
  const keys = new Map<string, string>();

  beforeAll(async () => {
    stage = await openStage('projects:\n  selfService: true\n');
    const scoped = scopedPersonas(['second-admin', 'red-user']).filter(({ name }) =>
      [
        'second-admin-rule-verbs',
        'second-admin-rule-names',
        'second-admin-project',
        'red-user-project',
        'red-user-tool',
      ].includes(name),
    );
    for (const [{ name }, key] of await stage.keys([...plainPersonas, ...scoped])) keys.set(name, key);
  });
  afterAll(() => stage.close());

  const tokenOf = (who: string) => keys.get(who) ?? '';
  const json = ({ text }: Received) => JSON.parse(text) as JsonObject;
  const nameOf = (item: JsonValue) => textAt(item, 'metadata', 'name');

  function post(who: string, path: string, body: JsonObject): Promise<Received> {
    return stage.caller.send(tokenOf(who), { method: 'POST', path, body });
  }

  it('lets everybody make a project where the setting says so, and makes them its admin', async () => {
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

  it('tells whoever may create that a name is free, so that apply works, and nobody else', async () => {
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
      (await stage.caller.send(tokenOf(who), { method: 'GET', path })).code,
      (await stage.caller.send(tokenOf(who), apply)).code,
      (await stage.caller.send(tokenOf(who), { method: 'DELETE', path })).code,
      (await stage.caller.send(tokenOf(who), { method: 'GET', path: `${path}/status` })).code,
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

  it('pages a filtered list without a gap, and does not count what is not shown (LIST-23)', async () => {
    const seen: string[] = [];
    let next = '';
    do {
      const path = `${group}/virtualclusterinstances?limit=1&continue=${encodeURIComponent(next)}`;
      const page = await stage.read(path, tokenOf('red-user'));
      expect(page).not.toHaveProperty('metadata.remainingItemCount');
      seen.push(...listAt(page, 'items').map(nameOf));
      next = textAt(page, 'metadata', 'continue');
    } while (next !== '');
    expect(seen.sort()).toEqual(['b-shared', 'g-open', 'r-user']);
  });

  it('shows no more by a selector, a Table or metadata alone', async () => {
    const token = tokenOf('red-user');
    const byName = await stage.read(`${instances}?fieldSelector=metadata.name%3Dr-plain`, token);
    expect(listAt(byName, 'items')).toEqual([]);
    for (const as of ['as=Table;g=meta.k8s.io;v=v1', 'as=PartialObjectMetadataList;g=meta.k8s.io;v=v1']) {
      const accept = { accept: `application/json;${as}` };
      const answer = await stage.caller.send(token, { method: 'GET', path: instances, headers: accept });
      expect(answer.code).toBe(200);
      expect(answer.text).toContain('r-user');
      expect(answer.text).not.toContain('r-plain');
    }
  });

  it('is the same however the path is spelled (REQ-01, REQ-07, REQ-08)', async () => {
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
      expect((await stage.caller.send(tokenOf(who), { method: 'GET', path })).code, who).toBe(403);
    }
    for (const who of [...outside, 'second-admin-rule-names']) {
      for (const path of spellings) {
        for (const method of ['GET', 'HEAD', 'DELETE'] as const) {
          const { code } = await stage.caller.send(tokenOf(who), { method, path });
          expect([400, 403, 404, 405], `${who} ${method} ${path}`).toContain(code);
        }
      }
    }
    expect((await stage.read(`${instances}/r-plain`)).kind).toBe('VirtualClusterInstance');
  });

  it('lists in a rules review what a request may really do', async () => {
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

  /** Every verb of the rule, on the first of its names. */
  async function expectEachAllowed(who: string, rule: JsonValue): Promise<void> {
    const [what = '*'] = textsAt(rule, 'resources');
    const [resource = '', subresource = ''] = what.split('/');
    const [name = ''] = textsAt(rule, 'resourceNames');
    const isNamespaced = ['virtualclusterinstances', 'events', 'leases'].includes(resource);
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

  it('lets admins act as somebody else with no more than both may, and nobody else (AUTHZ-08)', async () => {
    const as = (user: string) => ({ 'impersonate-user': user, 'impersonate-group': `platform:user:${user}` });
    const get = async (who: string, path: string, user: string, method: 'GET' | 'DELETE' = 'GET') =>
      (await stage.caller.send(tokenOf(who), { method, path, headers: as(user) })).code;
    const own = `${instances}/r-user`;
    expect(await get('second-admin', own, 'red-user')).toBe(200);
    expect(await get('second-admin', `${instances}/r-plain`, 'red-user')).toBe(403);
    expect(await get('red-admin', own, 'red-user')).toBe(403);
    expect(await get('red-admin', own, 'second-admin')).toBe(403);
    // The scope of the key goes along under the other name.
    expect(await get('second-admin-rule-verbs', `${own}?dryRun=All`, 'red-user', 'DELETE')).toBe(403);
    expect(await get('second-admin-project', `${group}/projects/blue`, 'blue-admin')).toBe(403);
  });

  it('refuses an owner reference that blocks an owner whom the caller may not delete (OWNER-07)', async () => {
    const project = await stage.read(`${group}/projects/red`);
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
      stage.caller.send(tokenOf(who), { method: 'PATCH', path, type: 'application/merge-patch+json', body });
    expect((await send('red-user')).code).toBe(422);
    expect((await send('second-admin')).code).toBe(200);
  });
});
