import { describe, expect, it } from 'vitest';
import { type Flag, parseArguments } from './flags.ts';

const flags: readonly Flag[] = [
  { name: 'namespace', short: 'n', type: 'text', about: '' },
  { name: 'all-namespaces', short: 'A', type: 'switch', about: '' },
  { name: 'watch', short: 'w', type: 'switch', about: '' },
  { name: 'output', short: 'o', type: 'text', about: '', values: ['json', 'yaml'] },
  { name: 'tail', type: 'text', about: '' },
  { name: 'filename', short: 'f', type: 'list', about: '' },
];
const parse = (line: string) => parseArguments(line.split(' '), flags);

describe('the flags of a command', () => {
  it('have all forms of kubectl', () => {
    for (const line of ['-n web', '-nweb', '-n=web', '--namespace web', '--namespace=web', 'pods -n x --namespace=web'])
      expect(parse(line).text('namespace'), line).toBe('web');
    const both = parse('-Aw pods -ojson');
    expect([both.isOn('all-namespaces'), both.isOn('watch'), both.text('output'), both.words]).toEqual([
      true,
      true,
      'json',
      ['pods'],
    ]);
    expect(parse('--watch=false').isOn('watch')).toBe(false);
    expect(parse('-f a,b -f c').list('filename')).toEqual(['a', 'b', 'c']);
    expect(parse('-f -').list('filename')).toEqual(['-']);
  });

  it('end with two hyphens', () => {
    const parsed = parse('web -n x -- sh -c -n');
    expect([parsed.words, parsed.command, parsed.text('namespace')]).toEqual([['web'], ['sh', '-c', '-n'], 'x']);
    expect(parse('web').command).toBeUndefined();
  });

  it('that are unknown, incomplete or invalid are errors that name the supported ones', () => {
    expect(() => parse('--sort-by=x')).toThrow('--sort-by is not supported here; this command has -n/--namespace');
    expect(() => parse('-Ax')).toThrow('-x is not supported');
    expect(() => parse('-n')).toThrow('-n needs a value');
    expect(() => parse('-o table')).toThrow('--output=table is not supported; use json, yaml');
    expect(() => parse('--watch=maybe')).toThrow('must be true or false');
    expect(() => parse('--tail x').count('tail')).toThrow('--tail must be a number');
  });
});
