import { type JsonValue, listAt, textAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { managementGroup } from '../../src/api/naming.ts';
import { ServerTestEnv } from '../../src/server/server.fixture.ts';
import { type AuthzTestEnv, openAuthzTestEnv } from './authz-test-env.ts';
import { eachOf } from './caller.ts';
import { holds } from './oracle/relations.ts';
import { type Persona, plainPersonas, scopedPersonas } from './personas.ts';
import { clusters } from './world.ts';

const users = ['admin', 'named with use'] as const;
const remote = clusters.map(({ name }) => name).filter((name) => name !== 'local');

/**
 * The rules that allow `GET /version` inside, with the cluster to which each rule applies: every cluster, or the named
 * one.
 */
const coveringRules: ReadonlyMap<string, string> = new Map([
  ['rule-everything', '*'],
  ['rule-verbs', '*'],
  ['rule-paths', '*'],
  ['rule-other-target', '*'],
  ['rule-cluster', 'c-red'],
]);

function mayEnter({ person, scopes }: Persona, cluster: string): boolean {
  const ask = {
    verb: 'use',
    group: managementGroup,
    resource: 'clusters',
    subresource: '',
    project: '',
    name: cluster,
    path: '',
  };
  return (
    users.some((relation) => holds(relation, person, ask)) &&
    scopes.every((shape) => {
      if (shape === undefined) return true;
      const listed = listAt(shape.scope, 'clusters').map((entry) => textAt(entry, 'cluster'));
      return [...listed, coveringRules.get(shape.name)].some((name) => name === '*' || name === cluster);
    })
  );
}

const virtualClusters = '/kubernetes/cluster/local/apis/storage.platform.sh/v1/namespaces/default/virtualclusters';

/** Connects a Kubernetes API for each of the fixture's clusters: virtual clusters of another server. */
async function connect(env: AuthzTestEnv, there: ServerTestEnv): Promise<void> {
  const target = await there.start({ store: 'memory' });
  const [token, authority] = [await there.adminKey(), await there.read('ca.crt')];
  for (const name of remote) {
    const made = await there.send(target, virtualClusters, { method: 'POST', body: { metadata: { name } } });
    expect(made.code, made.text).toBe(201);
    const kubeconfig = JSON.stringify({
      'current-context': name,
      contexts: [{ name, context: { cluster: name, user: name } }],
      clusters: [
        {
          name,
          cluster: {
            server: `${target.url}${virtualClusters}/${name}/proxy`,
            'certificate-authority-data': Buffer.from(authority).toString('base64'),
          },
        },
      ],
      users: [{ name, user: { token } }],
    });
    const path = `/kubernetes/management/apis/${managementGroup}/v1/clusters/${name}`;
    const answer = await env.caller.send(env.adminKey, {
      method: 'PATCH',
      type: 'application/merge-patch+json',
      path,
      body: { spec: { networkPeer: null, kubeconfig } },
    });
    expect(answer.code, answer.text).toBe(200);
  }
}

describe('the gateway to connected clusters follows the permission table (completions §8)', () => {
  let env: AuthzTestEnv;
  let there: ServerTestEnv;
  const personas = [...plainPersonas, ...scopedPersonas(['second-admin', 'red-admin', 'borrower'])];
  let keys: ReadonlyMap<Persona, string>;

  beforeAll(async () => {
    env = await openAuthzTestEnv();
    there = await ServerTestEnv.open();
    await connect(env, there);
    keys = await env.keys(personas);
  }, 60_000);
  afterAll(async () => {
    await env.close();
    await there.close();
  });

  it('admits an access key that may use the cluster, and no other', async () => {
    const found: string[] = [];
    const cells = personas.flatMap((persona) => remote.map((cluster) => ({ persona, cluster })));
    await eachOf(cells, async ({ persona, cluster }) => {
      const path = `/kubernetes/cluster/${cluster}/version`;
      const { code } = await env.caller.send(keys.get(persona) ?? '', { method: 'GET', path });
      const wanted = mayEnter(persona, cluster) ? 200 : 403;
      if (code !== wanted) found.push(`${persona.name} at ${cluster}: ${code}, not ${wanted}`);
    });
    expect(found.sort()).toEqual([]);
    expect(cells.filter(({ persona, cluster }) => mayEnter(persona, cluster)).length).toBeGreaterThan(20);
  }, 120_000);

  it('adds no permissions to a caller: the cluster itself authorizes the request', async () => {
    const asked = async (name: string) => {
      const persona = plainPersonas.find((each) => each.name === name);
      const token = persona === undefined ? '' : (keys.get(persona) ?? '');
      const path = '/kubernetes/cluster/c-shared/apis/authentication.k8s.io/v1/selfsubjectreviews';
      const { text } = await env.caller.send(token, { method: 'POST', path, body: {} });
      const { groups, username } = (
        JSON.parse(text) as { status: { userInfo: { groups: string[]; username: string } } }
      ).status.userInfo;
      return [username, ...groups.sort()];
    };
    expect(await asked('borrower')).toEqual([
      'borrower',
      'platform:authenticated',
      'platform:user:borrower',
      'system:authenticated',
    ]);
    expect(await asked('second-admin')).toContain('system:masters');
  });

  it('gives an unauthorized caller the same response whether or not the cluster exists', async () => {
    const persona = plainPersonas.find(({ name }) => name === 'outsider');
    const token = persona === undefined ? '' : (keys.get(persona) ?? '');
    const refused = async (name: string) => {
      const path = `/kubernetes/cluster/${name}/api/v1/namespaces`;
      const { code, text } = await env.caller.send(token, { method: 'GET', path });
      return [code, textAt(JSON.parse(text) as JsonValue, 'message').replaceAll(name, 'x')];
    };
    const there = await refused('c-red');
    expect(there[0]).toBe(403);
    expect(await refused('nowhere')).toEqual(there);
  });
});
