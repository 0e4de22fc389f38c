import { expect, it } from 'vitest';
import { Progress } from './progress.ts';
import { openTerminal } from './terminal.ts';

function shownOn(isTTY: boolean, use: (progress: Progress) => void): string {
  let shown = '';
  const stream = { isTTY, columns: 30, write: (text: string) => (shown += text) };
  const progress = new Progress(openTerminal({ out: stream, err: stream, in: { isTTY } }, {}));
  try {
    use(progress);
  } finally {
    progress.end();
  }
  return shown;
}

const steps = (progress: Progress) => {
  progress.busy('creating demo');
  progress.busy('creating demo');
  progress.step('Scheduled');
  progress.busy('a message that is much too long\nfor a line of thirty');
  progress.done('Ready');
};

it('the progress prints each step and each message once in a pipe', () => {
  expect(shownOn(false, steps)).toMatch(
    /^ {2}creating demo\n✓ Scheduled \(\d+ ms\)\n {2}a message that is much too long for a line of thirty\n✓ Ready \(\d+ ms\)\n$/,
  );
});

it('the progress redraws one line on a screen, which the result replaces', () => {
  const shown = shownOn(true, steps);
  expect(shown).toContain('✓ Scheduled (');
  expect(shown).toMatch(/✓ Scheduled \(\d+ ms\) · a m\S*…/);
  expect(shown.endsWith('\r\u001b[K')).toBe(true);
  // Only the result remains in the output: the line that is redrawn never ends with a newline.
  expect(shown.match(/\n/g)).toHaveLength(1);
  expect(shown).toContain('✓\u001b[0m Ready');
});
