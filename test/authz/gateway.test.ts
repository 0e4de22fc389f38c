import { type JsonValue, listAt, textAt } from '@flotilla/json';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { managementGroup, projectNamespace } from '../../src/api/naming.ts';
import { type AuthzTestEnv, openAuthzTestEnv } from './authz-test-env.ts';
import { eachOf } from './caller.ts';
import { holds } from './oracle/relations.ts';
import { covered, type Persona, plainPersonas, scopedPersonas } from './personas.ts';
import { instances, spaces, type WorldInstance } from './world.ts';

const users = ['admin', 'project admin', 'owner', 'named with use'] as const;

/** A kind of instances with its gateway. */
interface GatewayKind {
  readonly resource: string;
  readonly segment: string;
  readonly objects: readonly WorldInstance[];
  /** The rules that allow `GET /version` inside. Rules without targets apply to every API. */
  readonly coveringRules: ReadonlySet<string>;
}

const rulesForAll = ['rule-everything', 'rule-verbs', 'rule-paths'];

const gatewayKinds: readonly GatewayKind[] = [
  {
    resource: 'virtualclusterinstances',
    segment: 'virtualcluster',
    objects: instances,
    coveringRules: new Set([...rulesForAll, 'rule-other-target']),
  },
  {
    resource: 'spaceinstances',
    segment: 'space',
    objects: spaces,
    coveringRules: new Set([...rulesForAll, 'rule-space-target']),
  },
];

function mayEnter(
  persona: Persona,
  { resource, coveringRules }: GatewayKind,
  { project, name }: WorldInstance,
): boolean {
  const ask = {
    verb: 'use',
    group: managementGroup,
    resource,
    subresource: '',
    project,
    name,
    path: '',
  };
  return (
    users.some((relation) => holds(relation, persona.person, ask)) &&
    persona.scopes.every((shape) => {
      if (shape === undefined || !shape.name.startsWith('rule')) return covered({ scopes: [shape] }, ask);
      return coveringRules.has(shape.name);
    })
  );
}

const rootOf = ({ segment }: GatewayKind, { project, name }: WorldInstance) =>
  `/kubernetes/project/${project}/${segment}/${name}`;

describe('the gateway follows the permission table (completions §8)', () => {
  let env: AuthzTestEnv;
  const personas = [...plainPersonas, ...scopedPersonas(['second-admin', 'red-admin', 'red-user'])];
  let keys: ReadonlyMap<Persona, string>;

  beforeAll(async () => {
    env = await openAuthzTestEnv();
    keys = await env.keys(personas);
  });
  afterAll(() => env.close());

  async function differences(
    kind: GatewayKind,
    ask: (persona: Persona, instance: WorldInstance) => Promise<number>,
  ): Promise<string[]> {
    const found: string[] = [];
    const cells = personas.flatMap((persona) => kind.objects.map((instance) => ({ persona, instance })));
    await eachOf(cells, async ({ persona, instance }) => {
      const code = await ask(persona, instance);
      const wanted = mayEnter(persona, kind, instance) ? 200 : 403;
      if (code !== wanted) found.push(`${persona.name} at ${instance.name}: ${code}, not ${wanted}`);
    });
    return found.sort();
  }

  it.each(gatewayKinds)(
    'admits an access key that may use one of the $resource, and no other',
    async (kind) => {
      const wrong = await differences(kind, async (persona, instance) => {
        const path = `${rootOf(kind, instance)}/version`;
        return (await env.caller.send(keys.get(persona) ?? '', { method: 'GET', path })).code;
      });
      expect(wrong).toEqual([]);
      expect(personas.length * kind.objects.length).toBeGreaterThan(500);
    },
    120_000,
  );

  it.each(gatewayKinds)(
    'issues tokens for $resource with no more access than the requesting key',
    async (kind) => {
      const wrong = await differences(kind, async (persona, instance) => {
        const namespace = projectNamespace(instance.project);
        const path = `/kubernetes/management/apis/${managementGroup}/v1/namespaces/${namespace}/${kind.resource}/${instance.name}/kubeconfig`;
        const answer = await env.caller.send(keys.get(persona) ?? '', { method: 'POST', path, body: {} });
        if (answer.code !== 201) return mayEnter(persona, kind, instance) && isRuled(persona) ? 200 : answer.code;
        const config = load(textAt(JSON.parse(answer.text) as JsonValue, 'status', 'kubeConfig')) as JsonValue;
        const token = textAt(listAt(config, 'users')[0], 'user', 'token');
        const inside = await env.caller.send(token, { method: 'GET', path: `${rootOf(kind, instance)}/version` });
        return inside.code;
      });
      expect(wrong).toEqual([]);
    },
    120_000,
  );

  it('gives an unauthorized caller the same response whether or not the instance exists', async () => {
    const persona = plainPersonas.find(({ name }) => name === 'outsider');
    const token = persona === undefined ? '' : (keys.get(persona) ?? '');
    const refused = async (project: string, name: string) => {
      const path = `/kubernetes/project/${project}/virtualcluster/${name}/api/v1/namespaces`;
      const { code, text } = await env.caller.send(token, { method: 'GET', path });
      return [
        code,
        textAt(JSON.parse(text) as JsonValue, 'message')
          .replaceAll(name, 'x')
          .replaceAll(project, 'y'),
      ];
    };
    const there = await refused('red', 'r-plain');
    expect(there).toEqual([
      403,
      'virtualclusterinstances.management.platform.sh "x" is forbidden: User "outsider" cannot use resource "virtualclusterinstances" in API group "management.platform.sh" in the namespace "platform-p-y": no role, ownership or access entry grants this permission',
    ]);
    expect(await refused('red', 'nothing')).toEqual(there);
    expect(await refused('nowhere', 'nothing')).toEqual(there);
  });
});

/** True if the key has a deprecated rule, which may exclude the kubeconfig and still admit the gateway. */
function isRuled({ scopes }: Persona): boolean {
  return scopes.some((shape) => shape?.name.startsWith('rule') === true);
}
