import { listAt, textAt } from '@flotilla/json';
import { describe, expect, it, vi } from 'vitest';
import { sleepAfterAnnotation, sleepForceAnnotation } from '../api/naming.ts';
import { GatewayTestEnv, sharedWith } from './gateway.fixture.ts';
import { inPhase, waitForInstance } from './instances.fixture.ts';
import { mergePatch } from './server.fixture.ts';
import { createSpace, spacesOf } from './spaces.fixture.ts';

const gateway = '/kubernetes/project/default/space/web';
const plural = 'spaceinstances';

describe('the gateway to the spaces of projects (completions §12)', () => {
  const at = GatewayTestEnv.forEach();
  const create = (spec = {}) =>
    createSpace(at.bench, at.server, { name: 'web' }, { clusterRef: { cluster: 'local' }, ...spec });
  const change = async (body: Parameters<typeof mergePatch>[0]) => {
    const changed = await at.send(`${spacesOf('default')}/web`, mergePatch(body));
    expect(changed.code, changed.text).toBe(200);
  };
  const annotate = (annotations: Record<string, string | null>) => change({ metadata: { annotations } });
  const untilPhase = (phase: string) => waitForInstance(at.bench, at.server, { name: 'web', plural }, inPhase(phase));
  const maps = (namespace: string) => `${gateway}/api/v1/namespaces/${namespace}/configmaps`;

  it('gives callers the roles that the space grants them, with their own names', async () => {
    const [anna, bob, carl] = [await at.createUser('anna'), await at.createUser('bob'), await at.createUser('carl')];
    const namespace = await create({
      ...sharedWith('anna', 'bob'),
      extraAccessRules: [{ users: ['bob'], clusterRole: 'view' }],
    });
    const post = (token: string, name: string) => at.post(maps(namespace), { metadata: { name } }, token);
    expect((await post(anna, 'a')).code).toBe(201);
    expect((await post(bob, 'b')).code).toBe(403);
    expect(await at.code(maps(namespace), bob)).toBe(200);
    expect(await at.code(maps(namespace), carl)).toBe(403);
    const who = await at.post(`${gateway}/apis/authentication.k8s.io/v1/selfsubjectreviews`, {}, anna);
    expect(textAt(who.json, 'status', 'userInfo', 'username')).toBe('anna');
    const groups = listAt(who.json, 'status', 'userInfo', 'groups').map(String);
    expect(groups).toContain('platform:user:anna');
    expect(groups.filter((group) => /^(system|platform:role):/.test(group))).toEqual(['system:authenticated']);
  });

  it('wakes a space from auto-sleep, but not one that a user put to sleep', async () => {
    const namespace = await create();
    await annotate({ [sleepAfterAnnotation]: '1' });
    await untilPhase('Sleeping');
    // A request outside of the space does not count as use.
    expect(await at.code(`${gateway}/api/v1/nodes`)).toBe(403);
    expect(await at.code(maps(namespace))).toBe(200);
    await untilPhase('Ready');
    await annotate({ [sleepAfterAnnotation]: null, [sleepForceAnnotation]: 'true' });
    await untilPhase('Sleeping');
    const refused = await at.send(maps(namespace));
    expect([refused.code, textAt(refused.json, 'message')]).toEqual([
      503,
      expect.stringMatching(/^the space "web" is asleep because its SpaceInstance has the annotation/),
    ]);
    expect(await at.code(`${gateway}/api/v1/nodes`)).toBe(403);
  });

  it('ends watches with a Status when the roles of the space change, and when it falls asleep', async () => {
    const anna = await at.createUser('anna');
    const namespace = await create(sharedWith('anna'));
    const lastOf = async (act: () => Promise<void>) => {
      // Retries, because anna may have no role for a moment after a change of roles.
      const watch = await vi.waitFor(async () => {
        const opened = await at.openStream(`${maps(namespace)}?watch=true`, anna);
        expect(opened.statusCode).toBe(200);
        return opened;
      }, 10_000);
      await act();
      const lines = (await watch.body.text()).trimEnd().split('\n');
      return textAt(JSON.parse(lines.at(-1) ?? '{}'), 'object', 'reason');
    };
    const rules = { extraAccessRules: [{ users: ['anna'], clusterRole: 'view' }] };
    expect(await lastOf(() => change({ spec: rules }))).toBe('Expired');
    expect(await lastOf(() => annotate({ [sleepForceAnnotation]: 'true' }))).toMatch(/^(ServiceUnavailable|Expired)$/);
  });

  it('responds with 404 to admins and with 403 to others if there is no such space', async () => {
    const anna = await at.createUser('anna');
    expect([await at.code(`${gateway}/version`), await at.code(`${gateway}/version`, anna)]).toEqual([404, 403]);
    expect((await at.post(`${spacesOf('default')}/web/kubeconfig`, {})).code).toBe(404);
  });
});
