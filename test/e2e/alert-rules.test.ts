import { execFileSync, spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { describeIfAvailable } from '../harness/suite.ts';
import { shellBlocks } from '../harness/walk-guide.ts';

const root = new URL('../..', import.meta.url).pathname;
const promtoolMissing =
  spawnSync('promtool', ['--version']).status === 0
    ? undefined
    : 'there is no promtool on PATH; it is part of the package prometheus of Debian';

describeIfAvailable(promtoolMissing, 'the alert rules', () => {
  it('are valid and fire as their tests say, with the commands of the guide', () => {
    const commands = shellBlocks('observe.md', 'Load the alert rules').join('');
    const printed = execFileSync('bash', ['-euo', 'pipefail', '-c', commands], { cwd: root, encoding: 'utf8' });
    expect(printed).toMatch(/SUCCESS: \d+ rules found/);
    expect(printed.match(/SUCCESS/g)).toHaveLength(2);
  });
});
