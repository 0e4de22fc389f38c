import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isApiWord } from '../../api/api-word.ts';
import { chooseApiWord } from './choose-api-word.ts';
import { type Login, writeConfig } from './config-file.ts';

let folder: string;
let logins: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'api-word-'));
  logins = join(folder, 'logins.json');
  const login = (name: string): Login => ({ url: `https://${name}`, apiPrefix: 'kubernetes', accessKey: 'k' });
  const saved = { a: { ...login('a'), apiWord: 'loft' }, b: login('b') };
  await writeConfig(logins, { current: 'a', logins: new Map(Object.entries(saved)) });
});
afterEach(() => rm(folder, { recursive: true }));

const choose = (args: string, environment: Record<string, string> = {}) =>
  chooseApiWord(args.split(' '), { FLOTILLA_CONFIG: logins, ...environment });

async function settings(text: string): Promise<string> {
  const file = join(folder, 'settings.yaml');
  await writeFile(file, text);
  return file;
}

describe('an API word', () => {
  it.each(['loft', 'a', 'a1', 'x'.repeat(20)])('may be %s', (word) => expect(isApiWord(word)).toBe(true));
  it.each(['', '1a', 'Loft', 'my-word', 'a.b', 'ä', 'x'.repeat(21), 'system', 'kube', 'loft\n'])(
    'may not be %j',
    (word) => expect(isApiWord(word)).toBe(false),
  );
});

describe('the API word of a client', () => {
  it.each([
    ['list', {}, 'loft'],
    ['list --context b', {}, 'platform'],
    ['list --context=b', { FLOTILLA_CONTEXT: 'a' }, 'platform'],
    ['connect demo -- kubectl --context b get ns', {}, 'loft'],
    ['list', { FLOTILLA_CONTEXT: 'b' }, 'platform'],
    ['list', { FLOTILLA_URL: 'https://a' }, 'loft'],
    ['list', { FLOTILLA_URL: 'https://elsewhere' }, 'platform'],
    ['list --context a', { FLOTILLA_URL: 'https://elsewhere' }, 'loft'],
    ['list', { FLOTILLA_URL: 'not a URL' }, 'platform'],
    ['list', { FLOTILLA_CONTEXT: 'none' }, 'platform'],
    ['list', { FLOTILLA_CONFIG: '/nowhere/x' }, 'platform'],
    ['list --context b', { FLOTILLA_API_WORD: 'fleet' }, 'fleet'],
  ])('%s with %j is %s', async (args, environment, word) => {
    expect(await choose(args, environment)).toBe(word);
  });
});

describe('the API word of a server or an agent', () => {
  it('does not come from a login', async () => {
    expect(await choose('start --listen x')).toBe('platform');
    expect(await choose('agent --built-in')).toBe('platform');
    expect(await choose('start', { FLOTILLA_API_WORD: 'fleet' })).toBe('fleet');
    expect(await choose('agent', { FLOTILLA_API_WORD: 'fleet' })).toBe('fleet');
  });

  it('comes from the configuration file of the server', async () => {
    const file = await settings('api: { word: loft }\n');
    expect(await choose(`start --config ${file}`)).toBe('loft');
    expect(await choose(`start --config=${file}`, { FLOTILLA_API_WORD: 'loft' })).toBe('loft');
    await expect(choose(`start --config ${file}`, { FLOTILLA_API_WORD: 'fleet' })).rejects.toThrow(
      `${file}: api.word is "loft", but FLOTILLA_API_WORD is "fleet"; remove one of them`,
    );
  });

  it('is the default if the server is going to refuse the file', async () => {
    expect(await choose('start --config /nowhere/settings.yaml')).toBe('platform');
    for (const text of ['{', '- api', 'api: loft', 'api: { word: 3 }', '']) {
      expect(await choose(`start --config ${await settings(text)}`)).toBe('platform');
    }
  });

  it('must be valid', async () => {
    const file = await settings('api: { word: My-Word }\n');
    await expect(choose(`start --config ${file}`)).rejects.toThrow(
      `${file}: api.word: "My-Word" is not an API word; use 1 to 20 lower-case letters`,
    );
    await expect(choose('list', { FLOTILLA_API_WORD: 'system' })).rejects.toThrow(
      'FLOTILLA_API_WORD: "system" is not an API word; ',
    );
  });
});
