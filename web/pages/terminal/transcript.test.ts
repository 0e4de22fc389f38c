import { expect, it } from 'vitest';
import { ManualClock } from '../../../src/lib/clock.ts';
import { Transcript } from './transcript.ts';

function linesOf(transcript: Transcript): string[][] {
  return transcript.get().map(({ chunks }) => chunks.flatMap(({ lines }) => lines.map(({ text }) => text)));
}

it('a transcript keeps the last commands and lines', () => {
  const clock = new ManualClock();
  const transcript = new Transcript(clock);
  const update = () => clock.advance(1_000);
  const first = transcript.begin('get pods', 'default');
  transcript.print(first, 'a\nb');
  transcript.change(first, { state: 'done' });
  update();
  expect(transcript.get()[0]).toMatchObject({ line: 'get pods', namespace: 'default', state: 'done' });
  expect(linesOf(transcript)).toEqual([['a', 'b']]);
  for (let count = 0; count < 7; count += 1) {
    const id = transcript.begin(`get ${count}`, 'default');
    for (let at = 0; at < 60; at += 1) transcript.print(id, 'line\n'.repeat(99));
    transcript.change(id, { state: 'done' });
  }
  update();
  const sizes = linesOf(transcript).map(({ length }) => length);
  expect(sizes.every((size) => size <= 5_000)).toBe(true);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(20_000);
  expect(transcript.get().at(-1)?.dropped).toBe(1_000);
  expect(transcript.get().at(-1)?.line).toBe('get 6');
  transcript.clear();
  update();
  expect(transcript.get()).toEqual([]);
});

it('a running command stays when the others are cleared', () => {
  const clock = new ManualClock();
  const transcript = new Transcript(clock);
  const id = transcript.begin('get pods -w', 'default');
  transcript.print(id, 'row');
  transcript.clear();
  transcript.print(id, 'next row');
  clock.advance(1_000);
  expect(linesOf(transcript)).toEqual([['next row']]);
});

it('a transcript shows control characters of objects and of the server as text', () => {
  const clock = new ManualClock();
  const transcript = new Transcript(clock);
  const id = transcript.begin('get pods -o yaml', 'default');
  transcript.print(id, 'note: \u001b[31mred\u001b[0m \u202egnp.exe\u0007\nnext');
  clock.advance(1_000);
  expect(linesOf(transcript)).toEqual([['note: red \\u202egnp.exe\\u0007', 'next']]);
});
