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
  progress.done('Scheduled');
  progress.busy('a message that is much too long\nfor a line of thirty');
};

it('prints each message once in a pipe', () => {
  expect(shownOn(false, steps)).toMatch(
    /^ {2}creating demo\n✓ Scheduled \(\d+ ms\)\n {2}a message that is much too long for a line of thirty\n$/,
  );
});

it('redraws one line on a screen and clears it at the end', () => {
  const shown = shownOn(true, steps);
  expect(shown).toContain('✓\u001b[0m Scheduled');
  expect(shown.endsWith('\r\u001b[K')).toBe(true);
  expect(shown).toContain(' a message that is much too…');
  // Finished steps stay; the progress line never ends with a newline.
  expect(shown.match(/\n/g)).toHaveLength(1);
});
