import { type JsonObject, textAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminsGroup, projectRoles } from '../../src/api/naming.ts';
import { groupPath, mergePatch, type RequestOptions, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';

const keys = `${groupPath}/ownedaccesskeys`;
const instances = `${groupPath}/namespaces/platform-p-red/virtualclusterinstances`;
const goneOwner = {
  apiVersion: 'management.platform.sh/v1',
  kind: 'User',
  name: 'nobody',
  uid: '11111111-1111-1111-1111-111111111111',
};

describe('permissions cannot be escalated', () => {
  let bench: ServerTestEnv;
  let server: RunningServer;
  let mal = '';

  beforeAll(async () => {
    bench = await ServerTestEnv.open();
    server = await bench.start();
    for (const name of ['mal', 'anna']) await bench.createObject(server, 'users', name);
    mal = await bench.createKey(server, 'of-mal', { user: 'mal' });
    await bench.createObject(server, 'projects', 'red', {
      members: [
        { kind: 'User', name: 'mal', clusterRole: projectRoles.admin },
        { kind: 'User', name: 'anna', clusterRole: projectRoles.user },
      ],
      allowedClusters: [{ name: '*' }],
      allowedTemplates: [{ name: '*' }],
    });
  });
  afterAll(() => bench.close());

  const code = async (token: string, path: string, call: RequestOptions = {}) =>
    (await bench.send(server, path, { ...call, token })).code;
  const byAdmin = async (path: string, call: RequestOptions) => {
    const answer = await bench.send(server, path, call);
    expect(answer.code, answer.text).toBeLessThan(300);
  };

  it('a key with groups from an admin keeps its scope and its expiry under any owner (completions §5)', async () => {
    const spec = { user: 'mal', groups: [adminsGroup], scope: { projects: [{ project: 'red' }] }, ttl: 600 };
    const raised = await bench.createKey(server, 'raised', spec);
    expect(await code(raised, `${groupPath}/accesskeys`)).toBe(403);
    const changes: JsonObject[] = [
      { scope: null },
      { scope: { projects: [{ project: '*' }] } },
      { ttl: 0 },
      { ttl: 6000 },
      { ttlAfterLastActivity: true },
      { key: 'a-value-that-mal-knows.0123456789' },
    ];
    for (const change of changes) {
      expect(await code(mal, `${keys}/raised`, mergePatch({ spec: change })), JSON.stringify(change)).toBe(403);
    }
    expect(await code(raised, `${groupPath}/accesskeys`)).toBe(403);
    expect(await code(mal, `${keys}/raised`, mergePatch({ spec: { displayName: 'x', disabled: true } }))).toBe(200);
    expect(await code(mal, `${keys}/raised`, mergePatch({ spec: { disabled: false } }))).toBe(403);
    expect(await code(mal, `${keys}/raised`, mergePatch({ spec: { groups: [] } }))).toBe(200);
    expect(await code(mal, `${keys}/raised`, mergePatch({ spec: { scope: null, disabled: false } }))).toBe(200);
    expect(await code(raised, `${groupPath}/accesskeys`)).toBe(403);
  });

  it('a key cannot extend its own lifetime or pass its groups to a longer-lived key (completions §5)', async () => {
    const lent = await bench.createKey(server, 'lent', { user: 'mal', groups: ['operators'], ttl: 600 });
    expect(await code(lent, `${keys}/lent`, mergePatch({ spec: { ttl: 0 } }))).toBe(403);
    expect(await code(lent, `${keys}/of-mal`, mergePatch({ spec: { groups: ['operators'] } }))).toBe(403);
    const made = await bench.send(server, keys, {
      method: 'POST',
      token: lent,
      body: { metadata: { name: 'from-lent' }, spec: { groups: ['operators'] } },
    });
    expect(made.code, made.text).toBe(201);
    const child = textAt(made.json, 'spec', 'key');
    await byAdmin(`${groupPath}/accesskeys/lent`, mergePatch({ spec: { disabled: true } }));
    expect(await code(child, `${groupPath}/projects`)).toBe(401);
  });

  it('a key loses a group when its owner does, even if the key lists the group (completions §8)', async () => {
    await byAdmin(`${groupPath}/users/mal`, mergePatch({ spec: { groups: [adminsGroup] } }));
    const made = await bench.send(server, keys, {
      method: 'POST',
      token: mal,
      body: { metadata: { name: 'souvenir' }, spec: { groups: [adminsGroup] } },
    });
    const souvenir = textAt(made.json, 'spec', 'key');
    expect(await code(souvenir, `${groupPath}/accesskeys`)).toBe(200);
    await byAdmin(`${groupPath}/users/mal`, mergePatch({ spec: { groups: [] } }));
    expect(await code(souvenir, `${groupPath}/accesskeys`)).toBe(403);
    expect(await code(mal, `${keys}/souvenir`, mergePatch({ spec: { displayName: 'still mine' } }))).toBe(200);
    expect(await code(souvenir, `${groupPath}/accesskeys`)).toBe(403);
  });

  it('a caller cannot make the garbage collector delete what the caller may not delete, nor raise the role of a member (completions §8)', async () => {
    const spec = { owner: { user: 'anna' }, access: [{ name: 'w', verbs: ['get', 'patch'], users: ['guest'] }] };
    await bench.createObject(server, 'users', 'guest');
    const guest = await bench.createKey(server, 'of-guest', { user: 'guest' });
    await byAdmin(instances, { method: 'POST', body: { metadata: { name: 'shared' }, spec } });
    const disown = mergePatch({ metadata: { ownerReferences: [goneOwner] } });
    expect(await code(guest, `${instances}/shared`, disown)).toBe(403);
    expect(await code(guest, `${instances}/shared`, mergePatch({ spec: { description: 'x' } }))).toBe(200);
    const rules = { extraAccessRules: [{ users: ['guest'], clusterRole: 'cluster-admin' }] };
    expect(await code(guest, `${instances}/shared`, mergePatch({ spec: rules }))).toBe(403);
    expect(await code(mal, `${groupPath}/projects/red`, disown)).toBe(403);
    expect(await code(mal, `${groupPath}/projects/red`, mergePatch({ spec: { description: 'x' } }))).toBe(200);
    // A caller who may delete an object may also give it a missing owner, which makes garbage collection delete it.
    expect(await code(mal, `${instances}/shared?dryRun=All`, disown)).toBe(200);
  });

  it.each(['users', 'teams'])(
    'a caller with write access to one of %s cannot grant permissions on it (completions §8)',
    async (plural) => {
      await bench.createObject(server, plural, `a-${plural}`, {
        access: [{ name: 'w', verbs: ['get', 'update', 'patch'], users: ['mal'] }],
      });
      const path = `${groupPath}/${plural}/a-${plural}`;
      expect(await code(mal, path, mergePatch({ spec: { displayName: 'x' } }))).toBe(200);
      const wider = { access: [{ name: 'w', verbs: ['*'], users: ['mal'] }] };
      expect(await code(mal, path, mergePatch({ spec: wider }))).toBe(403);
    },
  );
});
