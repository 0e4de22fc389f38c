import { describe, expect, it } from 'vitest';
import { maxYamlBytes } from './document.ts';
import { readYaml } from './yaml-document.ts';

const repeat = (unit: string) => unit.repeat(Math.floor(maxYamlBytes / unit.length));

describe('a hostile YAML document of the maximum size', () => {
  it.each([
    ['duplicate keys', repeat('a: b\n')],
    ['documents', repeat('---\na: b\n')],
    ['merge keys', `a: &a {b: c}\nm:\n${repeat('  <<: *a\n')}`],
    ['aliases', `a: &a x\nb:\n${repeat('- *a\n')}`],
    ['nested lists', `[${repeat(`${'['.repeat(400)}${']'.repeat(400)},`)}]`],
    ['one long scalar', `a: ${repeat('x ')}`],
    ['a scalar of many lines', `a: "${repeat('x\n ')}"`],
    ['blank lines', `a: >\n${repeat('\n')} x`],
    ['digits', `a: ${repeat('1')}`],
  ])('with %s takes little time', (_, text) => {
    const { user: before } = process.cpuUsage();
    readYaml(text);
    expect((process.cpuUsage().user - before) / 1000).toBeLessThan(1_500);
  });
});
