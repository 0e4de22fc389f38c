import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedStore } from '../../../src/store/embedded/embedded.ts';
import { CrashLedger } from './crash-ledger.ts';
import { buildKilledProgram } from './killed-program.ts';

/**
 * Runs rounds of a crash test. Each round kills a process with eight writers at a random point, opens the store that it
 * left, and compares the store with the acknowledgments that the process printed. The next round uses the same store.
 * Throws at the first mismatch.
 */
export async function killRounds(rounds: number): Promise<{ acknowledged: number; found: number }> {
  const program = await buildKilledProgram('test/harness/crash/crash-writer.ts');
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-crash-'));
  const ledger = new CrashLedger();
  try {
    for (let round = 0; round < rounds; round++) {
      ledger.beginRound(round);
      // Some processes are killed before they have opened the store, most during their writes.
      await program.run([directory, `${round}`], (line) => ledger.record(line), round % 10 === 9);
      const store = await openEmbeddedStore({ directory });
      try {
        await ledger.verify(store);
      } finally {
        await store.close();
      }
    }
    return ledger.totals;
  } finally {
    await rm(directory, { recursive: true, force: true });
    await program.remove();
  }
}
