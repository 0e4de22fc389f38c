import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const examples = new URL('../../../examples/gitops', import.meta.url).pathname;

/** Copies the examples of one tool into a folder and applies the replacements to all files. */
export function copyGitOpsExamples(
  tool: string,
  folder: string,
  replacements: Readonly<Record<string, string>> = {},
): void {
  cpSync(join(examples, tool), folder, { recursive: true });
  for (const entry of readdirSync(join(examples, tool), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(folder, join(entry.parentPath, entry.name).slice(join(examples, tool).length));
    let content = readFileSync(file, 'utf8');
    for (const [from, to] of Object.entries(replacements)) content = content.replaceAll(from, to);
    writeFileSync(file, content);
  }
}
