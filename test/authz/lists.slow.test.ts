import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuthzTestEnv, openAuthzTestEnv } from './authz-test-env.ts';
import { listDifferences } from './lists.ts';
import { type Persona, plainPersonas, scopedPersonas } from './personas.ts';
import { listedItems, watchedItems } from './visible.ts';

describe('the contents of lists and watches for all personas', () => {
  let env: AuthzTestEnv;
  let keys: ReadonlyMap<Persona, string>;

  beforeAll(async () => {
    env = await openAuthzTestEnv();
    keys = await env.keys([...plainPersonas, ...scopedPersonas(['second-admin', 'red-user'])]);
  });
  afterAll(() => env.close());

  it('are exactly what each caller may read, in one project and over all', async () => {
    expect(await listDifferences(env, keys, listedItems)).toEqual([]);
  });

  it('are the same at the start of a watch', async () => {
    // Tests one scope of each shape, because each watch needs a separate connection.
    const some = [...keys].filter(
      ([{ name, scopes }]) => scopes.length === 0 || /^red-user-(project|instance|tool|rule-names)$/.test(name),
    );
    expect(await listDifferences(env, new Map(some), watchedItems)).toEqual([]);
  });
});
