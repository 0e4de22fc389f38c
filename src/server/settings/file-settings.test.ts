import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fileSettings } from './file-settings.ts';
import { readOptions } from './options.ts';

it('the isolation of hosts is read from the file, and mistakes in it are named', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'file-settings-'));
  const config = join(directory, 'config.yaml');
  const read = async (isolation: unknown) => {
    await writeFile(config, JSON.stringify({ hosts: { isolation } }));
    return (await readOptions({ config })).management.hosts.isolation;
  };
  try {
    const limits = { resourceQuota: { pods: 5 }, limitRange: { max: { cpu: '2' } } };
    const isolation = { podSecurity: 'restricted', deniedEgressCIDRs: ['10.0.0.0/8'], ...limits };
    expect(await read(isolation)).toEqual(isolation);
    await expect(read({ podSecurity: 'none' })).rejects.toThrow(/"hosts.isolation.podSecurity" must be one of/);
    await expect(read({ deniedEgressCIDRs: ['10.0.0.1/8'] })).rejects.toThrow(/must begin with the first address/);
    await expect(read({ quota: {} })).rejects.toThrow(/"hosts.isolation.quota" is not a known setting/);
    await expect(read({ limitRange: { min: {} } })).rejects.toThrow(/"hosts.isolation.limitRange.min" is not a known/);
    await expect(read({ resourceQuota: { pods: 'many' } })).rejects.toThrow(/"hosts.isolation.resourceQuota" contains/);
    await expect(read({ resourceQuota: { pods: true } })).rejects.toThrow(
      /must be a map of quantities; the value of "pods" is not a quantity/,
    );
  } finally {
    await rm(directory, { recursive: true });
  }
});

it('the documented defaults are the values that apply without a file', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'file-settings-'));
  const config = join(directory, 'config.yaml');
  const defaults = Object.entries(fileSettings).map(([group, settings]) => [
    group,
    Object.fromEntries(Object.entries(settings).map(([name, setting]) => [name, setting.default])),
  ]);
  try {
    await writeFile(config, JSON.stringify(Object.fromEntries(defaults)));
    expect(await readOptions({ config })).toEqual(await readOptions({}));
  } finally {
    await rm(directory, { recursive: true });
  }
});
