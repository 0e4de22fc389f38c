import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textsAt } from '../../src/lib/json-path.ts';
import { missingRows, pathsWithoutRow, servedEndpoints } from './endpoints.ts';
import { askAll } from './matrix.ts';
import { table } from './oracle/oracle.ts';
import { somePersonas } from './personas.ts';
import { openStage, type Stage } from './stage.ts';

describe('the authorization matrix', () => {
  let stage: Stage;
  let paths: readonly string[];

  beforeAll(async () => {
    stage = await openStage();
    paths = textsAt(await stage.read('/kubernetes/management/'), 'paths');
  });
  afterAll(() => stage.close());

  it('has a row for every endpoint that is served', async () => {
    const endpoints = await servedEndpoints(stage.read);
    expect(endpoints.length).toBeGreaterThan(100);
    expect(missingRows(endpoints, table)).toEqual([]);
    expect(pathsWithoutRow(paths, table)).toEqual([]);
  });

  it('names an endpoint that has no row', () => {
    const endpoint = {
      group: 'new.example',
      resource: 'things',
      subresource: 'secret',
      verb: 'get',
      place: 'one',
    } as const;
    expect(missingRows([endpoint], table)).toEqual([
      'get things/secret.new.example of one object is served and has no row in test/authz/oracle: say who may',
    ]);
    expect(pathsWithoutRow(['/new'], table)).toEqual([
      'GET /new is served and has no row in test/authz/oracle: say who may',
    ]);
  });

  it('answers one of each sort as the table says', async () => {
    const { compared, differences } = await askAll(stage, somePersonas, { paths, reviews: false });
    console.log(`${compared} cells compared, ${differences.length} differ`);
    expect(differences).toEqual([]);
    expect(compared).toBeGreaterThan(5_000);
  }, 120_000);
});
