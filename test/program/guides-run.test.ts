import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = new URL('../..', import.meta.url).pathname;
const guides = readdirSync(join(root, 'docs/guides'));

/** Guides whose commands no test runs as they are written, with the reason. Remove an entry when a test runs the guide. */
const notRun: Readonly<Record<string, string>> = {
  'api-word.md':
    'names servers that do not exist; api-word.test.ts and vcluster-command-line.test.ts run such commands',
  'direct-endpoint.md': 'names servers that do not exist; test/readme runs an agent as first-steps.md describes',
};

/** The sources of the tests that can run guides. This file names guides too, and runs none. */
const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(?:test\.ts|sh)$/.test(path) && !path.endsWith('guides-run.test.ts'))
  .map((path) => readFileSync(join(root, 'test', path), 'utf8'))
  .join('\n');

it.each(guides.filter((guide) => !(guide in notRun)))('a test runs the shell blocks of %s', (guide) => {
  const hasCommands = /^ *```sh$/m.test(readFileSync(join(root, 'docs/guides', guide), 'utf8'));
  if (hasCommands) expect(tests).toContain(guide);
});

it.each(Object.keys(notRun))('%s is a guide that no test runs', (guide) => {
  expect(guides).toContain(guide);
  expect(tests).not.toContain(`'${guide}'`);
});
