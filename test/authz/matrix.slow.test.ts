import { textsAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuthzTestEnv, openAuthzTestEnv } from './authz-test-env.ts';
import { checkMatrix } from './matrix.ts';
import { type Persona, plainPersonas, scopedPersonas } from './personas.ts';

describe('the whole authorization matrix', () => {
  let env: AuthzTestEnv;
  let paths: readonly string[];

  beforeAll(async () => {
    env = await openAuthzTestEnv();
    paths = textsAt(await env.read('/kubernetes/management/'), 'paths');
  });
  afterAll(() => env.close());

  async function expectAsTheTableSays(personas: readonly Persona[], least: number): Promise<void> {
    const { compared, differences } = await checkMatrix(env, personas, { paths, reviews: true });
    console.log(`${compared} cells compared, ${differences.length} differ`);
    expect(differences).toEqual([]);
    expect(compared).toBeGreaterThan(least);
  }

  it('matches the table for every persona, by request, by a self review and by an admin’s review', async () => {
    await expectAsTheTableSays(plainPersonas, 30_000);
  });

  it('matches the table for keys of every scope shape and every holder', async () => {
    await expectAsTheTableSays(scopedPersonas(['second-admin', 'red-user']), 30_000);
  });
});
