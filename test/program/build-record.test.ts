import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { assertKnown, fingerprint, openBuildRecord, sources } from '../../scripts/build-record.mjs';

describe('the build', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'build-'));
    for (const folder of ['src/deep', 'web', 'dist']) mkdirSync(join(root, folder), { recursive: true });
    write('src/deep/a.ts', 'one');
    write('web/page.tsx', 'one');
    write('package-lock.json', '{}');
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const write = (path: string, text: string) => writeFileSync(join(root, path), text);
  const print = (...folders: string[]) => fingerprint(root, folders);

  it('is repeated for a part if its sources or the installed packages change', async () => {
    const before = await print('src');
    write('src/deep/a.ts', 'two');
    const changed = await print('src');
    expect(changed).not.toBe(before);
    write('src/deep/b.ts', '');
    const added = await print('src');
    expect(added).not.toBe(changed);
    write('package-lock.json', '{"packages":{}}');
    expect(await print('src')).not.toBe(added);
  });

  it('is repeated for the console if any file that the console imports changes', async () => {
    const { metafile } = await build({
      absWorkingDir: join(import.meta.dirname, '..', '..'),
      entryPoints: ['web/main.tsx'],
      outdir: root,
      bundle: true,
      write: false,
      metafile: true,
      packages: 'external',
      jsx: 'automatic',
      format: 'esm',
      loader: { '.css': 'empty', '.svg': 'empty' },
    });
    const imported = Object.keys(metafile.inputs);
    expect(imported).toContain('web/main.tsx');
    expect(imported.some((path) => path.startsWith('src/client/'))).toBe(true);
    expect(() => assertKnown('console', imported)).not.toThrow();
    expect(() => assertKnown('console', [...imported, 'src/store/store.ts'])).toThrow(
      'add src/store/store.ts to the sources of the console in scripts/build-record.mjs',
    );
    for (const folder of sources.console) {
      const path = join(folder, 'changed.ts');
      mkdirSync(join(root, folder), { recursive: true });
      const before = await print(...sources.console);
      write(path, 'changed');
      expect(await print(...sources.console), path).not.toBe(before);
    }
  });

  it('is repeated if the settings of TypeScript change', async () => {
    const before = await print('src');
    write('tsconfig.json', '{}');
    expect(await print('src')).not.toBe(before);
  });

  it('is not repeated for a new time, a test, a guide or the sources of another part', async () => {
    const before = await print('src');
    utimesSync(join(root, 'src/deep/a.ts'), 1, 1);
    write('src/deep/a.test.ts', 'test');
    write('src/deep/notes.md', 'notes');
    write('web/page.tsx', 'two');
    expect(await print('src')).toBe(before);
  });

  it('is repeated if a file is missing, or if it was interrupted', async () => {
    const file = join(root, '.cache', 'build.json');
    const dist = join(root, 'dist');
    write('dist/program.js', '');
    const record = await openBuildRecord(file);
    expect(record.current('program', 'x', dist)).toBeUndefined();
    await record.keep('program', 'x', ['program.js']);
    const later = await openBuildRecord(file);
    expect(later.current('program', 'x', dist)).toEqual(['program.js']);
    expect(later.current('program', 'y', dist)).toBeUndefined();
    expect(later.current('console', 'x', dist)).toBeUndefined();
    rmSync(join(dist, 'program.js'));
    expect(later.current('program', 'x', dist)).toBeUndefined();
    write('dist/program.js', '');
    await later.forget('program');
    expect((await openBuildRecord(file)).current('program', 'x', dist)).toBeUndefined();
  });

  it('is repeated if the record is damaged', async () => {
    mkdirSync(join(root, '.cache'));
    write('.cache/build.json', '{"program":');
    const record = await openBuildRecord(join(root, '.cache', 'build.json'));
    expect(record.current('program', 'x', join(root, 'dist'))).toBeUndefined();
  });
});
