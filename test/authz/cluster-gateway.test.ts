import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { managementGroup } from '../../src/api/naming.ts';
import { listAt, textAt } from '../../src/lib/json-path.ts';
import type { JsonValue } from '../../src/lib/json-value.ts';
import { ServerBench } from '../../src/server/server.fixture.ts';
import { eachOf } from './caller.ts';
import { holds } from './oracle/relations.ts';
import { type Persona, plainPersonas, scopedPersonas } from './personas.ts';
import { openStage, type Stage } from './stage.ts';
import { clusters } from './world.ts';

const users = ['admin', 'named with use'] as const;
const remote = clusters.map(({ name }) => name).filter((name) => name !== 'local');

/** What they let through of `GET /version` in there, on every cluster or on that one. */
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

/** A Kubernetes API for each of the world's clusters: virtual clusters of another server. */
async function connect(stage: Stage, there: ServerBench): Promise<void> {
  const target = await there.start({ store: 'memory' });
  const [token, authority] = [await there.adminKey(), await there.read('ca.crt')];
  for (const name of remote) {
    const made = await there.ask(target, virtualClusters, { method: 'POST', body: { metadata: { name } } });
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
    const answer = await stage.caller.send(stage.adminKey, {
      method: 'PATCH',
      type: 'application/merge-patch+json',
      path,
      body: { spec: { networkPeer: null, kubeconfig } },
    });
    expect(answer.code, answer.text).toBe(200);
  }
}

describe('the gateway to connected clusters, as the table of rights has it (completions §8)', () => {
  let stage: Stage;
  let there: ServerBench;
  const personas = [...plainPersonas, ...scopedPersonas(['second-admin', 'red-admin', 'borrower'])];
  let keys: ReadonlyMap<Persona, string>;

  beforeAll(async () => {
    stage = await openStage();
    there = await ServerBench.open();
    await connect(stage, there);
    keys = await stage.keys(personas);
  }, 60_000);
  afterAll(async () => {
    await stage.close();
    await there.close();
  });

  it('lets in with an access key who may use the cluster, and nobody else', async () => {
    const found: string[] = [];
    const cells = personas.flatMap((persona) => remote.map((cluster) => ({ persona, cluster })));
    await eachOf(cells, async ({ persona, cluster }) => {
      const path = `/kubernetes/cluster/${cluster}/version`;
      const { code } = await stage.caller.send(keys.get(persona) ?? '', { method: 'GET', path });
      const wanted = mayEnter(persona, cluster) ? 200 : 403;
      if (code !== wanted) found.push(`${persona.name} at ${cluster}: ${code}, not ${wanted}`);
    });
    expect(found.sort()).toEqual([]);
    expect(cells.filter(({ persona, cluster }) => mayEnter(persona, cluster)).length).toBeGreaterThan(20);
  }, 120_000);

  it('makes of a caller nobody that they are not: the cluster itself says what they may do', async () => {
    const asked = async (name: string) => {
      const persona = plainPersonas.find((each) => each.name === name);
      const token = persona === undefined ? '' : (keys.get(persona) ?? '');
      const path = '/kubernetes/cluster/c-shared/apis/authentication.k8s.io/v1/selfsubjectreviews';
      const { text } = await stage.caller.send(token, { method: 'POST', path, body: {} });
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

  it('says the same to whoever may not, whether the cluster is there or not', async () => {
    const persona = plainPersonas.find(({ name }) => name === 'outsider');
    const token = persona === undefined ? '' : (keys.get(persona) ?? '');
    const refused = async (name: string) => {
      const path = `/kubernetes/cluster/${name}/api/v1/namespaces`;
      const { code, text } = await stage.caller.send(token, { method: 'GET', path });
      return [code, textAt(JSON.parse(text) as JsonValue, 'message').replaceAll(name, 'x')];
    };
    const there = await refused('c-red');
    expect(there[0]).toBe(403);
    expect(await refused('nowhere')).toEqual(there);
  });
});
