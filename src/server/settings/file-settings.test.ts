import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fileSettings } from './file-settings.ts';
import { readOptions } from './options.ts';

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
