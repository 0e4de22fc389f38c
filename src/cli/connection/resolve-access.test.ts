import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callValues } from '../command-call.ts';
import { writeConfig } from '../config/config-file.ts';
import { findAccess } from './resolve-access.ts';

const certificate = '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n';
let folder: string;
let config: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'access-'));
  config = join(folder, 'config.json');
  const login = (host: string, project?: string) => ({
    url: `https://${host}`,
    apiPrefix: 'kubernetes',
    accessKey: `key-of-${host}`,
    authority: `authority-of-${host}`,
    ...(project === undefined ? {} : { project }),
  });
  await writeConfig(config, {
    current: 'a',
    logins: new Map([
      ['a', login('a', 'red')],
      ['b', login('b')],
    ]),
  });
});
afterEach(() => rm(folder, { recursive: true }));

const find = (environment: Record<string, string>, options: Record<string, string> = {}) =>
  findAccess({
    environment: { FLOTILLA_CONFIG: config, ...environment },
    values: callValues(new Map(), new Map(Object.entries(options))),
  });

describe('the server, credential and project of a call', () => {
  it('come from the current login', async () => {
    expect(await find({})).toMatchObject({
      url: 'https://a',
      accessKey: 'key-of-a',
      authority: 'authority-of-a',
      project: 'red',
      context: 'a',
    });
  });

  it.each([
    [{}, { context: 'b' }, { url: 'https://b', accessKey: 'key-of-b', project: 'default', context: 'b' }],
    [{ FLOTILLA_CONTEXT: 'b' }, {}, { url: 'https://b', accessKey: 'key-of-b' }],
    [{ FLOTILLA_CONTEXT: 'b' }, { context: 'a' }, { url: 'https://a' }],
    [{ FLOTILLA_PROJECT: 'blue' }, {}, { project: 'blue' }],
    [{ FLOTILLA_PROJECT: 'blue' }, { project: 'green' }, { project: 'green' }],
    [
      { FLOTILLA_ACCESS_KEY: 'mine' },
      {},
      { url: 'https://a', accessKey: 'mine', authority: 'authority-of-a', context: undefined },
    ],
    [{ FLOTILLA_URL: 'https://a', FLOTILLA_ACCESS_KEY: '' }, {}, { accessKey: 'key-of-a' }],
    [
      { FLOTILLA_URL: 'https://c', FLOTILLA_ACCESS_KEY: 'mine' },
      {},
      { url: 'https://c', accessKey: 'mine', authority: undefined, project: 'default' },
    ],
    [
      { FLOTILLA_URL: 'https://c', FLOTILLA_ACCESS_KEY: 'mine' },
      { context: 'b' },
      { url: 'https://b', accessKey: 'key-of-b' },
    ],
    [
      { FLOTILLA_URL: 'https://a/other/management', FLOTILLA_ACCESS_KEY: 'x' },
      {},
      { apiPrefix: 'other', authority: undefined },
    ],
  ])('with %j and %j are %j', async (environment, options, expected) => {
    expect(
      await find(environment as unknown as Record<string, string>, options as Record<string, string>),
    ).toMatchObject(expected);
  });

  it('never combine the key of one server with another server', async () => {
    await expect(find({ FLOTILLA_URL: 'https://c' })).rejects.toThrow(/no access key for https:\/\/c/);
    await expect(find({ FLOTILLA_URL: 'https://a:444' })).rejects.toThrow(/no access key for/);
  });

  it('are undefined without a login and without an environment', async () => {
    const nowhere = { FLOTILLA_CONFIG: join(folder, 'nothing.json') };
    expect(await find(nowhere)).toBeUndefined();
    await expect(find({ ...nowhere, FLOTILLA_ACCESS_KEY: 'x' })).rejects.toThrow(/FLOTILLA_URL is not/);
    await expect(find({}, { context: 'z' })).rejects.toMatchObject({ exitCode: 4 });
  });

  it('include the CA from a file', async () => {
    const file = join(folder, 'ca.crt');
    await writeFile(file, certificate);
    expect(await find({ FLOTILLA_CA_FILE: file })).toMatchObject({ authority: certificate });
    await writeFile(file, 'nothing');
    await expect(find({ FLOTILLA_CA_FILE: file })).rejects.toThrow(/contains no certificate/);
    await expect(find({ FLOTILLA_CA_FILE: join(folder, 'no') })).rejects.toThrow(/does not exist/);
  });
});
