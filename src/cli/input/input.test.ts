import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { callValues } from '../command-call.ts';
import { formatDuration, parseDuration } from './parse-duration.ts';
import { readManifests } from './read-manifests.ts';
import { readParameters } from './read-parameters.ts';
import { scopeFromOptions } from './scope-from-options.ts';

describe('a duration', () => {
  it.each([
    ['90', 90],
    ['45s', 45],
    ['15m', 900],
    ['12h', 43_200],
    ['30d', 2_592_000],
    ['2w', 1_209_600],
    ['1h30m', 5_400],
  ])('%s is %d seconds', (text, seconds) => {
    expect(parseDuration(text, 'ttl')).toBe(seconds);
  });

  it.each(['', 'soon', '5x', '-5s', '1.5h', 's', '5s!', '1h 30m'])('cannot be %j', (text) => {
    expect(() => parseDuration(text, 'ttl')).toThrow(expect.objectContaining({ exitCode: 2 }));
  });

  it('is formatted for people', () => {
    expect([340, 1_234, 125_000].map(formatDuration)).toEqual(['340 ms', '1.2 s', '2m 5s']);
  });
});

describe('parameters', () => {
  it('are read from the files in order, and overridden by --set', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'values-'));
    const [one, two] = [join(folder, 'one.yaml'), join(folder, 'two.yaml')];
    await writeFile(one, 'size: 1.30\nnet: {name: a, open: yes}\n');
    await writeFile(two, 'net: {name: b}\n');
    const text = await readParameters([one, two], ['net.port=080', 'version=1.30', 'empty=', 'url=a=b']);
    expect(load(text ?? '')).toEqual({
      size: '1.30',
      net: { name: 'b', open: 'yes', port: '080' },
      version: '1.30',
      empty: '',
      url: 'a=b',
    });
    await rm(folder, { recursive: true });
    expect(await readParameters([], [])).toBeUndefined();
    for (const wrong of ['a', '=b']) await expect(readParameters([], [wrong])).rejects.toMatchObject({ exitCode: 2 });
  });

  it('keep any typed value unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (value) => {
        const text = await readParameters([], [`a.__proto__.b=${value}`]);
        const document = load(text ?? '') as { a: Record<string, { b: string }> };
        expect(Object.getOwnPropertyDescriptor(document.a, '__proto__')?.value.b).toBe(value);
      }),
    );
  });
});

describe('a scope', () => {
  const of = (options: Record<string, boolean | string[]>) =>
    scopeFromOptions(callValues(new Map(), new Map(Object.entries(options))));

  it('is built from the options', () => {
    expect(of({})).toBeUndefined();
    expect(of({ 'allow-cli': true })).toEqual({ allowPlatformCli: true });
    expect(
      of({
        'scope-project': ['a', 'b'],
        'scope-virtual-cluster': ['a/x'],
        'scope-space': ['b/s'],
        'scope-cluster': ['c'],
        'allow-cli': true,
      }),
    ).toEqual({
      allowPlatformCli: true,
      projects: [{ project: 'a' }, { project: 'b' }],
      virtualClusters: [{ project: 'a', virtualCluster: 'x' }],
      spaces: [{ project: 'b', space: 's' }],
      clusters: [{ cluster: 'c' }],
    });
    for (const wrong of ['x', 'a/b/c', '/x', 'a/']) {
      for (const option of ['scope-virtual-cluster', 'scope-space'])
        expect(() => of({ [option]: [wrong] })).toThrow(expect.objectContaining({ exitCode: 2 }));
    }
  });
});

describe('manifests', () => {
  it('are read from all documents of all files, with lists expanded', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'manifests-'));
    const object = (name: string) => `apiVersion: v1\nkind: A\nmetadata: {name: ${name}}\n`;
    await writeFile(join(folder, '2.yaml'), `${object('c')}--- # another\n${object('d')}---\n`);
    await writeFile(
      join(folder, '1.yml'),
      `apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: A, metadata: {name: a}}, {apiVersion: v1, kind: A}]\n`,
    );
    await writeFile(join(folder, 'notes.txt'), 'none of it');
    expect((await readManifests([folder])).map(({ metadata }) => metadata.name)).toEqual(['a', undefined, 'c', 'd']);
    await writeFile(join(folder, '3.json'), '{"kind":"A"}');
    await expect(readManifests([folder])).rejects.toThrow(/has no apiVersion or no kind/);
    await expect(readManifests([join(folder, 'nothing')])).rejects.toThrow(/does not exist/);
    await rm(folder, { recursive: true });
  });
});
