import { expect, it } from 'vitest';
import { collectPage, type PageItem } from './access-page.ts';

it('a page of a thousand subjects lets other requests run in between', async () => {
  let turns = 0;
  const nextTimeSlice = async () => {
    turns++;
  };
  function* subjects(): Iterable<PageItem<string>> {
    for (let count = 0; count < 5_000; count++) {
      yield { position: [0, '', String(count)], entries: () => (count === 7 ? ['seven'] : []) };
    }
  }
  const page = await collectPage(subjects(), { limit: 500, nextTimeSlice });
  expect(page).toEqual({ entries: ['seven'], next: [0, '', '999'] });
  expect(turns).toBeGreaterThanOrEqual(20);
});
