import { flagAt, type JsonObject, type JsonValue, listAt, textsAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectNamespace } from '../../src/api/naming.ts';
import { type AuthzTestEnv, openAuthzTestEnv } from './authz-test-env.ts';
import { eachOf } from './caller.ts';
import { expected, table } from './oracle/oracle.ts';
import type { Row } from './oracle/row.ts';
import { covered, type Persona, plainPersonas, scopedPersonas } from './personas.ts';
import { describeAction, type RequestedAction } from './requested-action.ts';
import { actionsOf } from './requests.ts';

const inProjects = [
  'virtualclusterinstances',
  'spaceinstances',
  'activityrecords',
  'projectwebhooks',
  'events',
  'leases',
  'secrets',
  'configmaps',
];

/**
 * The operations that a review of one project's namespace can report: on objects in it, and on cluster-scoped objects.
 */
function asksIn(project: string): { row: Row; ask: RequestedAction }[] {
  return (
    table
      .filter(({ extent, only }) => extent !== 'path' && only !== 'request')
      .flatMap((row) => actionsOf(row).map((ask) => ({ row, ask })))
      .filter(({ ask }) => (inProjects.includes(ask.resource) ? ask.project === project : ask.project === ''))
      // Omits missing objects, which no rule names, although a caller who may create an object learns whether it
      // exists.
      .filter(({ ask }) => ask.name !== 'nothing')
  );
}

function isCovered(
  rules: readonly JsonValue[],
  { verb, group, resource, subresource, name }: RequestedAction,
): boolean {
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const called = resource === 'namespaces' && name !== '' ? projectNamespace(name) : name;
  const has = (values: readonly string[], value: string) => values.includes('*') || values.includes(value);
  return rules.some((rule) => {
    const names = textsAt(rule, 'resourceNames');
    return (
      has(textsAt(rule, 'verbs'), verb) &&
      has(textsAt(rule, 'apiGroups'), group) &&
      has(textsAt(rule, 'resources'), what) &&
      (names.length === 0 || (called !== '' && names.includes(called)))
    );
  });
}

const ownReview: RequestedAction = {
  verb: 'create',
  group: 'authorization.k8s.io',
  resource: 'selfsubjectrulesreviews',
  subresource: '',
  project: '',
  name: '',
  path: '',
};

describe('a rules review of a project', () => {
  let env: AuthzTestEnv;
  let keys: ReadonlyMap<Persona, string>;
  const personas = [...plainPersonas, ...scopedPersonas(['second-admin', 'red-admin', 'red-user'])].filter((persona) =>
    covered(persona, ownReview),
  );

  beforeAll(async () => {
    env = await openAuthzTestEnv();
    keys = await env.keys(personas);
  });
  afterAll(() => env.close());

  it('reports everything that the caller may do there, and nothing else (AUTHZ-05)', async () => {
    const differences: string[] = [];
    let compared = 0;
    const questions = personas.flatMap((persona) => ['red', 'blue', 'green'].map((project) => ({ persona, project })));
    await eachOf(questions, async ({ persona, project }) => {
      const answer = await env.caller.send(keys.get(persona) ?? '', {
        method: 'POST',
        path: '/kubernetes/management/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
        body: { spec: { namespace: projectNamespace(project) } },
      });
      const review = JSON.parse(answer.text) as JsonObject;
      expect(answer.code, answer.text).toBe(201);
      expect(flagAt(review, 'status', 'incomplete')).toBe(false);
      const rules = listAt(review, 'status', 'resourceRules');
      for (const { row, ask } of asksIn(project)) {
        // For scoped keys, the table defines only the permissions of requests, not of reviews.
        if (row.only === 'review' && persona.scopes.length > 0) continue;
        compared++;
        const may = expected(persona, row, ask);
        if (isCovered(rules, ask) === may) continue;
        differences.push(`${persona.name} ${may ? 'may' : 'may not'} ${describeAction(ask)}`);
      }
    });
    console.log(`${compared} permissions compared, ${differences.length} differ`);
    expect([...new Set(differences)].sort()).toEqual([]);
    expect(compared).toBeGreaterThan(10_000);
  }, 120_000);
});
