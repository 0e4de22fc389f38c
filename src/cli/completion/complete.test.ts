import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../catalogue/catalogue.ts';
import { type CompletionResult, complete } from './complete.ts';
import { shellScripts, shells } from './shell-scripts.ts';

const catalogue = await loadCatalogue();

async function offered(
  line: string,
  queries: [string, Record<string, string>][] = [],
): Promise<CompletionResult | string[]> {
  const offer = await complete(line.split(' '), catalogue, async (candidates, options) => {
    queries.push([candidates, Object.fromEntries(options)]);
    return [`${candidates}-a`, `${candidates}-b`];
  });
  return offer === 'files' ? offer : offer.map(({ word }) => word);
}

describe('completion', () => {
  it.each([
    ['acc', ['access-key', 'access']],
    ['access-key r', ['rotate']],
    ['del', ['delete']],
    ['get virtual-cluster-', ['virtual-cluster-a', 'virtual-cluster-b']],
    ['delete virtual-cluster-a ', ['virtual-cluster-a', 'virtual-cluster-b']],
    ['list --all', ['--all-projects']],
    ['list -o y', ['yaml']],
    ['list --project ', ['project-a', 'project-b']],
    ['ls --project ', ['project-a', 'project-b']],
    ['share x --role v', ['view']],
    ['member add user-a --role ad', ['admin']],
    ['completion z', ['zsh']],
    ['context use ', ['context-a', 'context-b']],
    ['context use ""', ['context-a', 'context-b']],
    ['describe x ', []],
    ['nothing ', []],
    ['apply -f ', 'files'],
    ['login --ca-file x', 'files'],
  ])('of %j offers %j', async (line, expected) => {
    const result = await offered(line);
    if (line === 'nothing ') expect(result).toContain('login');
    else expect(result).toEqual(expected);
  });

  it.each(['access-k', 'list --all-p'])('of %j describes what it offers', async (line) => {
    const offer = await complete(line.split(' '), catalogue, async () => []);
    expect(offer).toEqual([{ word: expect.any(String), description: expect.stringMatching(/^[A-Z].* .*/) }]);
  });

  it('queries the project and the server that the line names', async () => {
    const queries: [string, Record<string, string>][] = [];
    await offered('get --project red --context=a ', queries);
    expect(queries).toEqual([['virtual-cluster', { project: 'red', context: 'a' }]]);
  });
});

it.each(shells)('the script for %s calls this program', (shell) => {
  expect(shellScripts[shell]).toMatch(/__complete/);
  expect(shellScripts[shell]).toContain(':files');
});
