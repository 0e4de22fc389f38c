import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedStore } from '../../src/store/embedded/embedded.ts';
import { buildKilledProgram } from '../harness/crash/killed-program.ts';
import { PlaneLedger } from './plane-ledger.ts';

/**
 * Runs rounds of a crash test. Each round kills a process whose eight workers create, use and remove planes. The round
 * then opens the store that the process left and compares the store with the acknowledgments that the process printed.
 * The next round uses the same store. Throws at the first mismatch.
 */
export async function planeKillRounds(rounds: number): Promise<PlaneLedger['totals']> {
  const program = await buildKilledProgram('test/planes/plane-crash-writer.ts');
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-plane-crash-'));
  const ledger = new PlaneLedger();
  try {
    for (let round = 0; round < rounds; round++) {
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
