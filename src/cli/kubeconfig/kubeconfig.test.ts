import { mkdtemp, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inlineContext } from './inline-context.ts';
import { changeKubeconfig, readKubeconfigFile, userKubeconfig } from './kubeconfig-file.ts';
import { entryName, entryNamesFor, withEntry, withoutEntry } from './merge-kubeconfig.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
});
afterEach(() => rm(folder, { recursive: true }));

const entry = (server: string, token = 't') => ({ cluster: { server }, user: { token } });
const mine: JsonObject = {
  apiVersion: 'v1',
  kind: 'Config',
  preferences: { colors: true },
  clusters: [{ name: 'work', cluster: { server: 'https://work' } }],
  users: [{ name: 'me', user: { token: 'w' } }],
  contexts: [{ name: 'work', context: { cluster: 'work', user: 'me', namespace: 'n' } }],
  'current-context': 'work',
};

describe('a virtual cluster in the user’s kubeconfig', () => {
  const demo = { server: 'https://a:8443', project: 'red', name: 'demo' };

  it('becomes the current context beside all other entries, and its removal restores the file', () => {
    const name = entryName(mine, demo);
    const joined = withEntry(mine, name, entry('https://a/demo'), demo);
    expect(joined).toMatchObject({ 'current-context': 'flotilla/red/demo', preferences: { colors: true } });
    expect(joined.clusters).toHaveLength(2);
    const renewed = withEntry(joined, entryName(joined, demo), entry('https://elsewhere/demo', 'newer'), demo);
    expect(renewed.users).toHaveLength(2);
    expect(renewed.users).toContainEqual({ name, user: { token: 'newer' } });
    expect(entryNamesFor(renewed, demo)).toEqual([name]);
    expect(withoutEntry(renewed, name)).toEqual(mine);
  });

  it('is distinct from one of the same name on another server or in another project', () => {
    const joined = withEntry(mine, entryName(mine, demo), entry('https://a/demo'), demo);
    const elsewhere = { ...demo, server: 'https://b:8443' };
    expect(entryNamesFor(joined, elsewhere)).toEqual([]);
    expect(entryNamesFor(joined, { ...demo, project: 'blue' })).toEqual([]);
    expect(entryName(joined, elsewhere)).toBe('flotilla/red/demo@b:8443');
    const both = withEntry(joined, entryName(joined, elsewhere), entry('https://b/demo'), elsewhere);
    expect(entryNamesFor(both, demo)).toEqual(['flotilla/red/demo']);
    // The removal of the second entry makes the first one current again.
    expect(withoutEntry(both, 'flotilla/red/demo@b:8443')).toMatchObject({ 'current-context': 'flotilla/red/demo' });
    expect(withoutEntry(both, 'flotilla/red/demo')).toMatchObject({ 'current-context': 'flotilla/red/demo@b:8443' });
  });

  it('is distinct from a space of the same name, whose context has a namespace', () => {
    const joined = withEntry(mine, entryName(mine, demo), entry('https://a/demo'), demo);
    const space = { ...demo, kind: 'space' };
    expect(entryNamesFor(joined, space)).toEqual([]);
    const name = entryName(joined, space);
    expect(name).toBe('flotilla/red/space/demo');
    const both = withEntry(joined, name, { ...entry('https://a/space'), namespace: 'platform-red-s-demo' }, space);
    expect(both.contexts).toContainEqual(
      expect.objectContaining({ name, context: expect.objectContaining({ namespace: 'platform-red-s-demo' }) }),
    );
    expect(entryNamesFor(both, demo)).toEqual(['flotilla/red/demo']);
    expect(withoutEntry(both, name)).toEqual(joined);
  });

  it('keeps the context name that the user chose, and does not touch contexts of other programs', () => {
    const joined = withEntry(mine, 'mine', entry('https://a/demo'), demo);
    expect(entryName(joined, demo)).toBe('mine');
    const theirs = { ...mine, contexts: [{ name: 'flotilla/red/demo', context: { cluster: 'c', user: 'u' } }] };
    expect(entryNamesFor(theirs, demo)).toEqual([]);
    expect(entryName(theirs, demo)).toBe('flotilla/red/demo@a:8443');
  });
});

describe('the kubeconfig file', () => {
  it('is created for its owner only, changed atomically, and written through a link', async () => {
    const path = join(folder, 'deep', 'config');
    expect(await readKubeconfigFile(path)).toBeUndefined();
    await changeKubeconfig(path, (before) => ({ ...before, a: '010', b: 'yes' }));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readKubeconfigFile(path)).toEqual({ a: '010', b: 'yes' });
    const link = join(folder, 'link');
    await symlink(path, link);
    await changeKubeconfig(link, (before) => ({ ...before, c: 1 }));
    expect(await readKubeconfigFile(path)).toEqual({ a: '010', b: 'yes', c: 1 });
    expect(await changeKubeconfig(path, () => undefined)).toBe(false);
    await expect(stat(`${path}.lock`)).rejects.toThrow(/ENOENT/);
  });

  it('loses no concurrent changes', async () => {
    const path = join(folder, 'config');
    await Promise.all(
      Array.from({ length: 10 }, (_, at) => changeKubeconfig(path, (before) => ({ ...before, [`k${at}`]: at }))),
    );
    expect(Object.keys((await readKubeconfigFile(path)) ?? {})).toHaveLength(10);
  });

  it('is changed despite a stale lock', async () => {
    const path = join(folder, 'config');
    await writeFile(`${path}.lock`, '');
    await utimes(`${path}.lock`, 1, 1);
    expect(await changeKubeconfig(path, () => ({ a: 1 }))).toBe(true);
  });

  it('is the first file in KUBECONFIG, or the one in the home directory', () => {
    expect(userKubeconfig({ KUBECONFIG: ':/a:/b', HOME: '/home/anna' })).toBe('/a');
    expect(userKubeconfig({ KUBECONFIG: '', HOME: '/home/anna' })).toBe('/home/anna/.kube/config');
  });
});

describe('one context for the server', () => {
  const kubeconfig = (user: JsonObject, cluster: JsonObject = {}): JsonObject => ({
    clusters: [{ name: 'c', cluster: { server: 'https://c', ...cluster } }],
    users: [
      { name: 'u', user },
      { name: 'other', user: { token: 'secret of another' } },
    ],
    contexts: [
      { name: 'one', context: { cluster: 'c', user: 'u' } },
      { name: 'two', context: { cluster: 'c', user: 'other' } },
    ],
    'current-context': 'one',
  });
  const inlined = (config: JsonObject, context?: string) => inlineContext(config, join(folder, 'config'), context);

  it('contains the referenced files, relative to the kubeconfig, and no other secrets', async () => {
    await writeFile(join(folder, 'ca.pem'), 'CA');
    await writeFile(join(folder, 'cert.pem'), 'CERT');
    await writeFile(join(folder, 'key.pem'), 'KEY');
    const made = await inlined(
      kubeconfig(
        { 'client-certificate': 'cert.pem', 'client-key': join(folder, 'key.pem') },
        { 'certificate-authority': 'ca.pem' },
      ),
    );
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    expect(made).toMatchObject({
      clusters: [{ cluster: { server: 'https://c', 'certificate-authority-data': base64('CA') } }],
      users: [{ user: { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') } }],
      'current-context': 'one',
    });
    expect(JSON.stringify(made)).not.toMatch(/pem|secret of another/);
  });

  it('contains the token of a token file, and prefers inline values to files', async () => {
    await writeFile(join(folder, 'token'), ' abc\n');
    expect(await inlined(kubeconfig({ tokenFile: 'token' }))).toMatchObject({ users: [{ user: { token: 'abc' } }] });
    const both = await inlined(
      kubeconfig({ token: 'inline', tokenFile: 'missing', 'client-key': 'missing', 'client-key-data': 'x' }),
    );
    expect(both.users).toEqual([{ name: 'one', user: { token: 'inline', 'client-key-data': 'x' } }]);
    expect(await inlined(kubeconfig({}), 'two')).toMatchObject({ users: [{ user: { token: 'secret of another' } }] });
  });

  it('reports credential programs, missing files and missing contexts with a remedy', async () => {
    for (const member of ['exec', 'auth-provider']) {
      await expect(inlined(kubeconfig({ [member]: {} }))).rejects.toThrow(/from a program.*kubectl create token/);
    }
    await expect(inlined(kubeconfig({ tokenFile: 'missing' }))).rejects.toThrow(
      /missing referenced by the kubeconfig does not exist/,
    );
    await expect(inlined(kubeconfig({}), 'three')).rejects.toThrow(
      /context "three" not found in .*; available: one, two/,
    );
  });

  it('leaves the file on disk unchanged', async () => {
    const path = join(folder, 'config');
    await writeFile(path, JSON.stringify(kubeconfig({ token: 'x' })));
    await inlineContext((await readKubeconfigFile(path)) ?? {}, path, undefined);
    expect(await readFile(path, 'utf8')).toBe(JSON.stringify(kubeconfig({ token: 'x' })));
  });
});
