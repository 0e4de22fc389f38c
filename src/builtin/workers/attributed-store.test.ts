import { expect, it } from 'vitest';
import { openMemoryStore } from '../../store/memory.ts';
import { storeSuite } from '../../store/store.suite.ts';
import { ChangeRecorder } from '../../store/suite/recorder.ts';
import { historyOf, putValue, storeErrorOf, storeKey, storeRange } from '../../store/suite/suite-store.ts';
import { attributedStore } from './attributed-store.ts';

storeSuite('store of a plane on a worker', async (options) => attributedStore(openMemoryStore(options), () => {}));

it('the store of a plane names the plane before the plane continues', async () => {
  const shared = openMemoryStore();
  let current = '';
  const of = (plane: string) =>
    attributedStore(shared, () => {
      current = plane;
    });
  const [a, b] = [of('a'), of('b')];
  const seen: string[] = [];
  const note = (plane: string) => () => void seen.push(`${plane} ${current}`);
  await a.observe(storeRange('s'), 1, { changes: note('changes of a'), ended() {} });
  await Promise.all([
    a.get(storeKey('s', 'x')).then(note('a')),
    b.list(storeRange('s')).then(note('b')),
    historyOf(a, storeRange('s'), 1).then(note('a')),
  ]);
  expect(seen).toEqual(['a a', 'b b', 'a a']);
  await putValue(b, storeKey('s', 'x'), '1');
  expect(seen.slice(3)).toEqual(['changes of a a']);
  expect(current).toBe('b');
  await a.observe(storeRange('s'), 1, new ChangeRecorder());
  await shared.close();
  await storeErrorOf(b.get(storeKey('s', 'x')));
  expect(current).toBe('b');
});
