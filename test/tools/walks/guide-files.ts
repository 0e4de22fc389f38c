import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const guides = new URL('../../../docs/guides', import.meta.url).pathname;

/**
 * Writes the files that a guide shows into a folder, with these replacements. A block is a file if its first line is a
 * comment with a file name, such as `# main.tf`. Returns their names.
 */
export function writeGuideFiles(
  guide: string,
  folder: string,
  replacements: Readonly<Record<string, string>> = {},
): string[] {
  const text = readFileSync(join(guides, guide), 'utf8');
  const files = [...text.matchAll(/^```(?:hcl|yaml|sh)\n# (\S+\.(?:tf|yaml|sh))\n(.*?)^```/gms)];
  for (const [, name = '', shown = ''] of files) {
    let content = shown;
    for (const [from, to] of Object.entries(replacements)) content = content.replaceAll(from, to);
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  return files.map(([, name = '']) => name);
}
