import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectNamespace } from '../../src/api/naming.ts';
import { flagAt, listAt, textsAt } from '../../src/lib/json-path.ts';
import type { JsonObject, JsonValue } from '../../src/lib/json-value.ts';
import { type Ask, askedText } from './ask.ts';
import { eachOf } from './caller.ts';
import { expected, table } from './oracle/oracle.ts';
import type { Row } from './oracle/row.ts';
import { covered, type Persona, plainPersonas, scopedPersonas } from './personas.ts';
import { asksOf } from './requests.ts';
import { openStage, type Stage } from './stage.ts';

const inProjects = ['virtualclusterinstances', 'events', 'leases'];

/** What the review of one project's namespace can tell of: what lies in it, and what lies in no namespace. */
function asksIn(project: string): { row: Row; ask: Ask }[] {
  return (
    table
      // What nobody may is the server's own: the rule of admins, who may everything else, is one star.
      .filter(({ place, only, may }) => place !== 'path' && only !== 'request' && may.length > 0)
      .flatMap((row) => asksOf(row).map((ask) => ({ row, ask })))
      .filter(({ ask }) => (inProjects.includes(ask.resource) ? ask.project === project : ask.project === ''))
      // Whoever may make something learns whether it is there; no rule names what is not.
      .filter(({ ask }) => ask.name !== 'nothing')
  );
}

function isCovered(rules: readonly JsonValue[], { verb, group, resource, subresource, name }: Ask): boolean {
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

const ownReview: Ask = {
  verb: 'create',
  group: 'authorization.k8s.io',
  resource: 'selfsubjectrulesreviews',
  subresource: '',
  project: '',
  name: '',
  path: '',
};

describe('a rules review of a project', () => {
  let stage: Stage;
  let keys: ReadonlyMap<Persona, string>;
  const personas = [...plainPersonas, ...scopedPersonas(['second-admin', 'red-admin', 'red-user'])].filter((persona) =>
    covered(persona, ownReview),
  );

  beforeAll(async () => {
    stage = await openStage();
    keys = await stage.keys(personas);
  });
  afterAll(() => stage.close());

  it('tells everything that the caller may do there, and nothing else (AUTHZ-05)', async () => {
    const differences: string[] = [];
    let compared = 0;
    const questions = personas.flatMap((persona) => ['red', 'blue', 'green'].map((project) => ({ persona, project })));
    await eachOf(questions, async ({ persona, project }) => {
      const answer = await stage.caller.send(keys.get(persona) ?? '', {
        method: 'POST',
        path: '/kubernetes/management/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
        body: { spec: { namespace: projectNamespace(project) } },
      });
      const review = JSON.parse(answer.text) as JsonObject;
      expect(answer.code, answer.text).toBe(201);
      expect(flagAt(review, 'status', 'incomplete')).toBe(false);
      const rules = listAt(review, 'status', 'resourceRules');
      for (const { row, ask } of asksIn(project)) {
        // The table says what a scoped key may by requests alone.
        if (row.only === 'review' && persona.scopes.length > 0) continue;
        compared++;
        const may = expected(persona, row, ask);
        if (isCovered(rules, ask) === may) continue;
        differences.push(`${persona.name} ${may ? 'may' : 'may not'} ${askedText(ask)}`);
      }
    });
    console.log(`${compared} rights compared, ${differences.length} differ`);
    expect([...new Set(differences)].sort()).toEqual([]);
    expect(compared).toBeGreaterThan(10_000);
  }, 120_000);
});
