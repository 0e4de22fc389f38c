import { type JsonObject, listAt, textAt } from '@flotilla/json';
import { load } from 'js-yaml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mergePatch } from '../server/server.fixture.ts';
import { createSpace, spacesOf } from '../server/spaces.fixture.ts';
import { AgentTestEnv, agentCluster } from './agent.fixture.ts';

const spacesPath = spacesOf('default');
const gateway = (name: string) => `/kubernetes/project/default/space/${name}`;

describe('an agent with spaces (completions §6, §12)', () => {
  let at: AgentTestEnv;
  beforeEach(async () => {
    at = await AgentTestEnv.open();
    await at.start();
  });
  afterEach(() => at.close());

  const create = (name: string, spec: JsonObject) =>
    createSpace(at.serverEnv, at.server, { name }, { clusterRef: { cluster: agentCluster }, ...spec });

  it('restricts tokens and keys to the space, even while the server is down', async () => {
    const anna = await at.createUser('anna');
    const own = await create('web', { owner: { user: 'anna' } });
    const other = await create('shop', {});
    const scope = { spaces: [{ project: 'default', space: 'web' }] };
    const direct = await at.directToken(anna, { scope });
    const admins = await at.directToken(await at.serverEnv.adminKey(), { scope });
    const made = await at.serverEnv.send(at.server, `${spacesPath}/web/kubeconfig`, {
      method: 'POST',
      token: anna,
      body: {},
    });
    const config = load(textAt(made.json, 'status', 'kubeConfig')) as JsonObject;
    expect(textAt(listAt(config, 'clusters')[0], 'cluster', 'server')).toBe(`${at.agent.url}${gateway('web')}`);
    const kubeconfig = textAt(listAt(config, 'users')[0], 'user', 'token');
    const maps = `${gateway('web')}/api/v1/namespaces/${own}/configmaps`;
    await at.waitForCode(maps, anna, 200);

    const check = async () => {
      for (const token of [direct, admins, kubeconfig]) {
        expect(await at.code(maps, token)).toBe(200);
        expect(await at.code(`${gateway('web')}/api/v1/namespaces/${own}`, token)).toBe(200);
        for (const path of [
          `${gateway('web')}/api/v1/namespaces/${other}/configmaps`,
          `${gateway('web')}/api/v1/configmaps`,
          `${gateway('web')}/api/v1/namespaces`,
          `${gateway('web')}/api/v1/watch/namespaces/${own}/configmaps`,
          `${gateway('web')}/apis/rbac.authorization.k8s.io/v1/clusterroles`,
        ])
          expect(await at.code(path, token), path).toBe(403);
        for (const path of [`${gateway('shop')}/version`, '/kubernetes/cluster/api/v1/namespaces'])
          expect([401, 403], path).toContain(await at.code(path, token));
      }
    };
    await check();
    const word = { metadata: { name: 'word' } };
    expect((await at.send(maps, direct, 'POST', word)).code).toBe(201);
    await at.stopServer();
    await check();
    await at.stopAgent();
    await at.start();
    await check();
    expect(await at.code(`${maps}/word`, direct)).toBe(200);
    await at.restartServer();
  });

  it('ends access when the server revokes it, and when the space is deleted', async () => {
    const anna = await at.createUser('anna');
    const own = await create('web', { owner: { user: 'anna' } });
    const direct = await at.directToken(anna);
    const maps = `${gateway('web')}/api/v1/namespaces/${own}/configmaps`;
    await at.waitForCode(maps, direct, 200);
    const watch = await at.open(`${maps}?watch=true`, direct);
    expect(watch.statusCode).toBe(200);
    const given = mergePatch({ spec: { owner: { user: 'admin' } } });
    expect((await at.serverEnv.send(at.server, `${spacesPath}/web`, given)).code).toBe(200);
    await watch.body.text();
    await at.waitForCode(maps, direct, 403);
    const deleted = await at.serverEnv.send(at.server, `${spacesPath}/web`, { method: 'DELETE' });
    expect(deleted.code).toBe(200);
    const admin = await at.directToken(await at.serverEnv.adminKey());
    await at.waitForCode(maps, admin, 404);
  });
});
