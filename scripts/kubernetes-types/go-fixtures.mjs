import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Returns objects of the given kinds (`apps/v1/Deployment`) as Go encodes them, as a JSON document. Compiles the
 * program in go-fixtures, which takes a minute the first time.
 */
export function goFixtures(kinds) {
  const cwd = fileURLToPath(new URL('go-fixtures', import.meta.url));
  const lines = execFileSync('go', ['run', '-p', '1', '.', ...kinds], { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 });
  const objects = lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return `${JSON.stringify(objects, null, 2)}\n`;
}
