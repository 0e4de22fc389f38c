import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = new URL('../..', import.meta.url).pathname;

export interface ProgramVersion {
  readonly version: string;
  /** The versions of the stored format that the program supports. */
  readonly schemas: readonly [lowest: number, highest: number];
}

/**
 * Copies the built program and replaces its version constants, so that it behaves like another release. Returns the path of
 * the copy, which runs like `bin/flotilla.js`.
 */
export function copyAsVersion(folder: string, { version, schemas }: ProgramVersion): string {
  mkdirSync(join(folder, 'dist'), { recursive: true });
  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const replaced = new Set<RegExp>();
  const constants: readonly (readonly [RegExp, string])[] = [
    [/(\bsupportedSchemas = )\[\d+, \d+\]/, `$1[${schemas.join(', ')}]`],
    [/(name: "flotilla",\n\s*version: )"[^"]*"/, `$1"${version}"`],
  ];
  for (const name of readdirSync(join(root, 'dist')).filter((file) => file.endsWith('.js'))) {
    let text = readFileSync(join(root, 'dist', name), 'utf8');
    for (const [pattern, value] of constants) {
      if (!pattern.test(text)) continue;
      text = text.replace(pattern, value);
      replaced.add(pattern);
    }
    writeFileSync(join(folder, 'dist', name), text);
  }
  if (replaced.size !== constants.length) throw new Error('the built program does not contain its version constants');
  return join(folder, 'bin', 'flotilla.js');
}
