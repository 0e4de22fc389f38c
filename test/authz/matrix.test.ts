import { textsAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuthzTestEnv, openAuthzTestEnv } from './authz-test-env.ts';
import { missingRows, pathsWithoutRow, servedEndpoints } from './endpoints.ts';
import { checkMatrix } from './matrix.ts';
import { table } from './oracle/oracle.ts';
import { somePersonas } from './personas.ts';

describe('the authorization matrix', () => {
  let env: AuthzTestEnv;
  let paths: readonly string[];

  beforeAll(async () => {
    env = await openAuthzTestEnv();
    paths = textsAt(await env.read('/kubernetes/management/'), 'paths');
  });
  afterAll(() => env.close());

  it('has a row for every endpoint that is served', async () => {
    const endpoints = await servedEndpoints(env.read);
    expect(endpoints.length).toBeGreaterThan(100);
    expect(missingRows(endpoints, table)).toEqual([]);
    expect(pathsWithoutRow(paths, table)).toEqual([]);
  });

  it('reports an endpoint that has no row', () => {
    const endpoint = {
      group: 'new.example',
      resource: 'things',
      subresource: 'secret',
      verb: 'get',
      extent: 'one',
    } as const;
    expect(missingRows([endpoint], table)).toEqual([
      'get things/secret.new.example of one object is served and has no row in test/authz/oracle: add one',
    ]);
    expect(pathsWithoutRow(['/new'], table)).toEqual([
      'GET /new is served and has no row in test/authz/oracle: add one',
    ]);
  });

  it('matches the table for one persona of each sort', async () => {
    const { compared, differences } = await checkMatrix(env, somePersonas, { paths, reviews: false });
    console.log(`${compared} cells compared, ${differences.length} differ`);
    expect(differences).toEqual([]);
    expect(compared).toBeGreaterThan(5_000);
  }, 120_000);
});
