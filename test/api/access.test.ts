import { type JsonObject, type JsonValue, listAt, textAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoles } from '../../src/api/naming.ts';
import { readLines } from '../../src/lib/read-lines.ts';
import { isGone, waitForInstance } from '../../src/server/instances.fixture.ts';
import {
  groupPath,
  mergePatch,
  type ParsedResponse,
  type RequestOptions,
  ServerTestEnv,
} from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';

const instances = `${groupPath}/namespaces/platform-p-red/virtualclusterinstances`;
const keys = `${groupPath}/ownedaccesskeys`;
const root = '/kubernetes/management';

const member = (name: string, role: keyof typeof projectRoles) => ({
  kind: 'User',
  name,
  clusterRole: projectRoles[role],
});

describe('permissions in the management API', () => {
  let bench: ServerTestEnv;
  let server: RunningServer;
  const tokens = new Map<string, string>();

  beforeAll(async () => {
    bench = await ServerTestEnv.open();
    server = await bench.start();
    for (const name of ['chief', 'anna', 'bob', 'guest', 'stranger']) {
      await bench.createObject(server, 'users', name);
      tokens.set(name, await bench.createKey(server, `of-${name}`, { user: name }));
    }
    await bench.createObject(server, 'projects', 'red', {
      members: [member('chief', 'admin'), member('anna', 'user'), member('bob', 'user'), member('guest', 'viewer')],
      allowedClusters: [{ name: '*' }],
      allowedTemplates: [{ name: '*' }],
    });
    for (const name of ['anna', 'bob']) {
      const made = await ask(name, instances, post({ metadata: { name: `${name}s` } }));
      expect(made.code, made.text).toBe(201);
    }
  });
  afterAll(() => bench.close());

  const post = (body: JsonValue): RequestOptions => ({ method: 'POST', body });
  const apply = (body: JsonObject): RequestOptions => ({ method: 'PATCH', type: 'application/apply-patch+yaml', body });
  const ask = (who: string, path: string, call: RequestOptions = {}): Promise<ParsedResponse> =>
    bench.send(server, path, { ...call, token: tokens.get(who) ?? who });
  const code = async (who: string, path: string, call: RequestOptions = {}) => (await ask(who, path, call)).code;
  const names = async (who: string, path: string) => {
    const { json, text } = await ask(who, path);
    expect(json.kind, text).toMatch(/List$/);
    return listAt(json, 'items').map((item) => textAt(item, 'metadata', 'name'));
  };

  it('let project users create, apply and delete their own instances, and answer 404 for missing ones', async () => {
    expect(await code('anna', `${instances}/mine`)).toBe(404);
    const manifest = {
      apiVersion: 'management.platform.sh/v1',
      kind: 'VirtualClusterInstance',
      metadata: { name: 'mine' },
    };
    const path = `${instances}/mine?fieldManager=t`;
    expect(await code('guest', path, apply(manifest))).toBe(403);
    expect(await code('anna', path, apply(manifest))).toBe(201);
    expect(await code('anna', path, apply({ ...manifest, spec: { displayName: 'Mine' } }))).toBe(200);
    expect(await code('bob', path, apply({ ...manifest, spec: { displayName: 'His' } }))).toBe(403);
    expect(await code('bob', `${instances}/mine`, { method: 'DELETE' })).toBe(403);
    expect(await code('anna', instances, { method: 'DELETE' })).toBe(403);
    expect(await code('anna', `${instances}/mine`, { method: 'DELETE' })).toBe(200);
    await waitForInstance(bench, server, { project: 'red', name: 'mine' }, isGone);
    expect(await code('anna', `${instances}/mine`)).toBe(404);
    expect(await code('guest', `${instances}/mine`)).toBe(403);
  });

  it('apply to lists and watches as an object is shared and unshared', async () => {
    const across = `${groupPath}/virtualclusterinstances`;
    expect(await names('chief', instances)).toEqual(['annas', 'bobs']);
    expect(await names('anna', instances)).toEqual(['annas']);
    expect(await names('guest', instances)).toEqual([]);
    expect(await names('stranger', across)).toEqual([]);
    expect(await code('stranger', instances)).toBe(403);
    expect(await code('stranger', `${root}/api/v1/namespaces/platform-p-red/events`)).toBe(403);

    const { json } = await ask('stranger', across);
    expect(json.metadata).not.toHaveProperty('remainingItemCount');
    const from = textAt(json, 'metadata', 'resourceVersion');
    const response = await bench.request(server, `${across}?watch=1&resourceVersion=${from}`, {
      token: tokens.get('stranger') ?? '',
    });
    const sharing = (access: JsonValue) => ask('anna', `${instances}/annas`, mergePatch({ spec: { access } }));
    // A permission change ends a watch a second later; a change of the object itself is reported at once.
    expect((await sharing([{ verbs: ['get'], users: ['stranger'] }])).code).toBe(200);
    expect(await names('stranger', instances)).toEqual(['annas']);
    expect((await sharing([])).code).toBe(200);
    const seen: string[] = [];
    for await (const line of readLines(response.body)) {
      const event = JSON.parse(line);
      // The server may write the status while the object is shared.
      if (event.type !== 'MODIFIED') seen.push(`${event.type} ${textAt(event, 'object', 'metadata', 'name')}`);
      if (seen.length === 2) break;
    }
    expect(seen).toEqual(['ADDED annas', 'DELETED annas']);
    expect(await code('stranger', instances)).toBe(403);
  });

  it('let users change their own display name and password, and nothing else of their user object', async () => {
    const me = `${groupPath}/users/anna`;
    const set = (spec: JsonObject, path = me) => code('anna', path, mergePatch({ spec }));
    expect(await set({ displayName: 'Anna', description: 'me' })).toBe(200);
    expect(await set({ password: 'correct horse' })).toBe(200);
    for (const spec of [
      { groups: ['platform:admins'] },
      { subject: 'x' },
      { disabled: true },
      { email: 'a@b' },
      { access: [] },
    ]) {
      const { code, json } = await ask('anna', me, mergePatch({ spec: { displayName: 'A', ...spec } }));
      expect(code).toBe(403);
      expect(json.message).toContain(`you may not set spec.${Object.keys(spec)[0]}`);
    }
    expect(await set({ displayName: 'B' }, `${groupPath}/users/bob`)).toBe(403);
    expect(await set({ password: 'correct horse' }, `${groupPath}/users/bob`)).toBe(403);
    expect((await ask('anna', me)).json.spec).toEqual({ displayName: 'Anna', description: 'me' });
    expect(await code('anna', `${groupPath}/users/bob`)).toBe(200);
    expect(await code('anna', `${groupPath}/users/stranger`)).toBe(403);
    expect(await names('stranger', `${groupPath}/users`)).toEqual(['stranger']);
  });

  it('reserve admin fields of a project for admins, and sharing of an instance for its owner', async () => {
    const red = `${groupPath}/projects/red`;
    expect(await code('chief', red, mergePatch({ spec: { displayName: 'Red' } }))).toBe(200);
    expect(await code('anna', red, mergePatch({ spec: { displayName: 'X' } }))).toBe(403);
    for (const spec of [{ quotas: {} }, { allowedClusters: [] }, { owner: { user: 'chief' } }, { access: [] }]) {
      expect(await code('chief', red, mergePatch({ spec })), JSON.stringify(spec)).toBe(403);
    }
    expect(await code('chief', red, { method: 'DELETE' })).toBe(403);
    const share = [{ verbs: ['get', 'patch'], users: ['guest'] }];
    expect(await code('bob', `${instances}/bobs`, mergePatch({ spec: { access: share } }))).toBe(200);
    expect(await code('guest', `${instances}/bobs`, mergePatch({ spec: { displayName: 'ours' } }))).toBe(200);
    const more = mergePatch({ spec: { access: [{ verbs: ['*'], users: ['guest'] }] } });
    expect(await code('guest', `${instances}/bobs`, more)).toBe(403);
    expect(await code('bob', `${instances}/bobs`, mergePatch({ spec: { access: [] } }))).toBe(200);
  });

  it('let nobody block the deletion of an object that they may not delete, under any name (§2.2 of the completions)', async () => {
    const uid = async (name: string) => textAt((await ask('chief', `${instances}/${name}`)).json, 'metadata', 'uid');
    const owned = (name: string, of: string): JsonObject => ({
      apiVersion: 'management.platform.sh/v1',
      kind: 'VirtualClusterInstance',
      name,
      uid: of,
      blockOwnerDeletion: true,
    });
    const make = (who: string, reference: JsonObject) =>
      ask(who, `${instances}?dryRun=All`, post({ metadata: { name: 'held', ownerReferences: [reference] } }));
    const [annas, bobs] = [await uid('annas'), await uid('bobs')];
    expect((await make('anna', owned('annas', annas))).code).toBe(201);
    expect((await make('chief', owned('bobs', bobs))).code).toBe(201);
    const project = { ...owned('red', 'x'), kind: 'Project' };
    const unknown = { ...owned('x', 'x'), kind: 'Stranger' };
    for (const reference of [owned('bobs', bobs), owned('annas', bobs), project, unknown]) {
      const { code, json } = await make('anna', reference);
      expect(code, JSON.stringify(reference)).toBe(422);
      expect(json).toMatchObject({
        reason: 'Invalid',
        details: { causes: [{ field: 'metadata.ownerReferences[0].blockOwnerDeletion' }] },
      });
    }
    expect((await make('anna', { ...owned('bobs', bobs), blockOwnerDeletion: false })).code).toBe(201);
  });

  describe('of a key with a scope', () => {
    const scope = { projects: [{ project: 'red' }] };
    let scoped = '';
    beforeAll(async () => {
      const made = await ask('anna', keys, post({ metadata: { name: 'scoped' }, spec: { scope } }));
      expect(made.code, made.text).toBe(201);
      scoped = textAt(made.json, 'spec', 'key');
    });

    it('are those of its user within the scope, and no derived key is wider', async () => {
      expect(await names(scoped, instances)).toEqual(['annas']);
      expect(await code(scoped, `${instances}/bobs`)).toBe(403);
      expect(await names(scoped, `${groupPath}/projects`)).toEqual(['red']);
      for (const path of [`${root}/version`, `${root}/apis`, keys, `${keys}/scoped`, `${groupPath}/users/anna`]) {
        expect(await code(scoped, path), path).toBe(403);
      }
      expect(await code(scoped, `${groupPath}/selves`, post({}))).toBe(403);
      expect(await code(scoped, `${keys}/scoped`, mergePatch({ spec: { scope: null } }))).toBe(403);
      expect(await code(scoped, `${keys}/other?fieldManager=t`, apply({ metadata: { name: 'other' } }))).toBe(403);

      const child = await ask(scoped, keys, post({ metadata: { name: 'child' } }));
      expect(child.code, child.text).toBe(201);
      const token = textAt(child.json, 'spec', 'key');
      expect(await names(token, instances)).toEqual(['annas']);
      expect(await code(token, `${root}/version`)).toBe(403);
      // The user may remove the key's own scope; the scopes inherited from the creating key remain.
      expect(
        await code('anna', `${keys}/child`, mergePatch({ spec: { scope: { projects: [{ project: '*' }] } } })),
      ).toBe(200);
      expect(await code('anna', `${keys}/child`, mergePatch({ spec: { scope: null } }))).toBe(200);
      expect(await code(token, `${root}/version`)).toBe(403);
      expect(await code(token, `${instances}/annas`)).toBe(200);
      expect(
        await code('anna', `${keys}/scoped`, mergePatch({ spec: { scope: { ...scope, allowPlatformCli: true } } })),
      ).toBe(200);
      expect(await code(scoped, `${root}/version`)).toBe(200);
      expect(await code(token, `${root}/version`), 'still restricted by the scope of the creating key').toBe(403);
    });

    it('also apply to a user that the key impersonates', async () => {
      const rules = [{ verbs: ['impersonate'] }];
      const key = await bench.createKey(server, 'acting', { scope: { projects: [{ project: 'red' }], rules } });
      const as = async (path: string, headers: Record<string, string>) => {
        const response = await bench.request(server, path, { token: key }, headers);
        await response.body.dump();
        return response.statusCode;
      };
      const bob = { 'impersonate-user': 'bob', 'impersonate-group': 'platform:user:bob' };
      expect(await as(`${instances}/bobs`, bob)).toBe(200);
      expect(await as(`${instances}/annas`, bob)).toBe(403);
      expect(await as(`${groupPath}/users/bob`, bob)).toBe(403);
      expect(await as(`${instances}/bobs`, { 'impersonate-user': 'bob' })).toBe(403);
      const admins = { 'impersonate-user': 'x', 'impersonate-group': 'platform:admins' };
      expect(await as(`${groupPath}/users`, admins)).toBe(403);
      expect(await as(`${instances}/annas`, admins)).toBe(200);
    });
  });

  it('are reported correctly by access reviews (KUBECTL-22, KUBECTL-23)', async () => {
    const reviews = `${root}/apis/authorization.k8s.io/v1`;
    const can = async (who: string, verb: string, name = '') => {
      const attributes = { verb, group: 'management.platform.sh', resource: 'virtualclusterinstances', name };
      const spec = { resourceAttributes: { ...attributes, namespace: 'platform-p-red' } };
      return (await ask(who, `${reviews}/selfsubjectaccessreviews`, post({ spec }))).json.status;
    };
    expect(await can('anna', 'delete', 'annas')).toEqual({ allowed: true, reason: 'owner of the object' });
    expect(await can('anna', 'delete', 'bobs')).toMatchObject({ allowed: false });
    expect(await can('anna', 'delete')).toMatchObject({ allowed: false, reason: expect.stringContaining('by name') });
    expect(await can('chief', 'delete')).toMatchObject({ allowed: true, reason: 'admin of the project' });

    const { json } = await ask(
      'anna',
      `${reviews}/selfsubjectrulesreviews`,
      post({ spec: { namespace: 'platform-p-red' } }),
    );
    expect(json.status).toMatchObject({ incomplete: false });
    expect(listAt(json, 'status', 'resourceRules')).toEqual(
      expect.arrayContaining([
        {
          verbs: ['get', 'update', 'patch', 'delete', 'use'],
          apiGroups: ['management.platform.sh'],
          resources: ['virtualclusterinstances'],
          resourceNames: ['annas'],
        },
        {
          verbs: ['list', 'watch', 'create'],
          apiGroups: ['management.platform.sh'],
          resources: ['virtualclusterinstances'],
        },
      ]),
    );
    expect(
      await code(
        'anna',
        `${reviews}/subjectaccessreviews`,
        post({ spec: { user: 'bob', nonResourceAttributes: { path: '/', verb: 'get' } } }),
      ),
    ).toBe(403);
  });
});
