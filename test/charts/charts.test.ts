import { readFileSync } from 'node:fs';
import { isJsonObject, type JsonObject, type JsonValue, textAt } from '@flotilla/json';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { describedValues } from '../../scripts/docs/chart-values.mjs';

const charts = ['flotilla', 'flotilla-agent'];
const read = (path: string) => readFileSync(path, 'utf8');
const { version } = JSON.parse(read('package.json')) as { version: string };

/**
 * Returns the paths of all properties of a schema that have no nested properties. Fails if an object schema allows
 * additional properties.
 */
function leavesOf(schema: JsonObject, path: readonly string[] = []): string[] {
  const { properties, additionalProperties } = schema;
  if (!isJsonObject(properties)) return [path.join('.')];
  expect(additionalProperties, path.join('.')).toBe(false);
  return Object.entries(properties).flatMap(([key, child]) => leavesOf(child as JsonObject, [...path, key]));
}

/** True if the path lies in a map that the schema describes as a whole, such as a probe. */
const isWithin = (path: string, described: readonly string[]) => described.some((each) => path.startsWith(`${each}.`));

describe.each(charts)('the chart %s', (chart) => {
  const folder = `charts/${chart}`;

  it('installs the version in package.json', () => {
    expect(textAt(load(read(`${folder}/Chart.yaml`)) as JsonValue, 'appVersion')).toBe(version);
  });

  it('describes every value in values.yaml, and has a strict schema for it', () => {
    const described = describedValues(read(`${folder}/values.yaml`)).map(({ path }) => path.join('.'));
    const schema = JSON.parse(read(`${folder}/values.schema.json`)) as JsonObject;
    const inSchema = leavesOf(schema).filter((path) => path !== 'global' && !isWithin(path, described));
    const maps = described.filter((path) => leavesOf(schema).some((leaf) => leaf.startsWith(`${path}.`)));
    expect([...new Set([...inSchema, ...maps])].sort()).toEqual([...described].sort());
    // Maps without a comment are left out: they only group values that have comments.
    const undescribed = Object.keys(load(read(`${folder}/values.yaml`)) as JsonObject).filter(
      (key) => !described.some((path) => path.split('.')[0] === key),
    );
    expect(undescribed).toEqual([]);
  });

  it('passes only flags that the command has', () => {
    const reference = read('docs/reference/cli.md');
    const command = chart === 'flotilla' ? 'start' : 'agent';
    const section = reference.split(/^### /m).find((each) => each.startsWith(`flotilla ${command}\n`)) ?? '';
    const flags = [...read(`${folder}/templates/_pod.tpl`).matchAll(/^- (--[a-z-]+)/gm)].map(([, flag]) => flag);
    expect(flags.length).toBeGreaterThan(5);
    for (const flag of flags) expect(section).toMatch(new RegExp(`\`${flag}[ \`]`));
  });
});

it('the charts contain the same permissions for a host cluster', () => {
  const [server = '', agent] = charts.map((chart) => read(`charts/${chart}/files/host-rules.yaml`));
  expect(agent).toBe(server);
});
