import { describe, expect, it } from 'vitest';
import { openSealer } from '../../seal/open-sealer.ts';
import { openTestStore } from '../../store/test-store.fixture.ts';
import { checkApiWord } from './check-api-word.ts';
import { installationRange, isSealKeyOf } from './installation.ts';

const sealer = openSealer(new Uint8Array(32));

describe('checkApiWord', () => {
  it('records the word of the first start and rejects every other one later', async () => {
    const store = openTestStore();
    await checkApiWord(store, 'loft');
    await isSealKeyOf(store, sealer);
    await checkApiWord(store, 'loft');
    const before = await store.list(installationRange);
    await expect(checkApiWord(store, 'platform')).rejects.toThrow(
      'this installation has the API word "loft", which cannot be changed to "platform": set api.word: loft in the configuration file, or FLOTILLA_API_WORD=loft; ',
    );
    expect(await store.list(installationRange)).toEqual(before);
  });

  it('gives the default to an installation that was created before the word was recorded', async () => {
    const store = openTestStore();
    await isSealKeyOf(store, sealer);
    const before = await store.list(installationRange);
    await checkApiWord(store, 'platform');
    await expect(checkApiWord(store, 'loft')).rejects.toThrow('has the API word "platform"');
    expect(await store.list(installationRange)).toEqual(before);
  });

  it('accepts one word of several servers that start at the same moment', async () => {
    const store = openTestStore();
    const words = ['loft', 'platform', 'fleet', 'loft', 'platform', 'fleet'];
    const results = await Promise.allSettled(words.map((word) => checkApiWord(store, word)));
    const accepted = words.filter((_, at) => results[at]?.status === 'fulfilled');
    expect(new Set(accepted).size).toBe(1);
    expect(accepted).toHaveLength(2);
  });
});
