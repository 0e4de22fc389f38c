import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serviceUnavailable, unauthorized } from '../../api/status.ts';
import type { CommandCall } from '../command-call.ts';
import { outputSecretAfter } from './output-secret.ts';

describe('a secret that becomes valid later', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'secret-'));
    await writeFile(join(folder, 'key'), 'old\n');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const outputTo = (file: string, activate: () => Promise<unknown>) => {
    const call = { values: { text: () => file }, terminal: { print() {}, printToStderr() {} } };
    return outputSecretAfter('new', call as unknown as CommandCall, activate);
  };
  const content = () => readFile(join(folder, 'key'), 'utf8');

  it('replaces the file after it is valid, and only its owner may read it', async () => {
    await outputTo(join(folder, 'key'), async () => expect(await content()).toBe('old\n'));
    expect(await content()).toBe('new\n');
    expect((await stat(join(folder, 'key'))).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['key']);
  });

  it('leaves the file as it is if the server rejects it', async () => {
    const rejected = outputTo(join(folder, 'key'), () => Promise.reject(unauthorized()));
    await expect(rejected).rejects.toThrow(unauthorized().message);
    expect(await readdir(folder)).toEqual(['key']);
    expect(await content()).toBe('old\n');
  });

  it('stays in a file that the error names if the outcome is unknown', async () => {
    const failed = outputTo(join(folder, 'key'), () => Promise.reject(serviceUnavailable('overloaded')));
    await expect(failed).rejects.toThrow(/overloaded; .* the new value is in .*\.key\.[0-9a-f]+$/);
    expect(await content()).toBe('old\n');
    const [kept = ''] = (await readdir(folder)).filter((name) => name !== 'key');
    expect(await readFile(join(folder, kept), 'utf8')).toBe('new\n');
  });

  it('does not become valid if the file cannot be written', async () => {
    let isActive = false;
    const activate = async () => {
      isActive = true;
    };
    await expect(outputTo(folder, activate)).rejects.toThrow(/EISDIR/);
    await expect(outputTo(join(folder, 'missing', 'key'), activate)).rejects.toThrow(/ENOENT/);
    expect(isActive).toBe(false);
  });
});
