import { writeSync } from 'node:fs';
import { openEmbeddedStore } from '../../../src/store/embedded/embedded.ts';
import type { Revision, Store } from '../../../src/store/store.ts';
import { crashSlice, crashWriters, crashWrites } from './crash-writes.ts';

/**
 * Writes the line to the pipe before the next write to the store begins, so no acknowledgment is lost when the process
 * is killed.
 */
function printLine(line: string): void {
  writeSync(1, `${line}\n`);
}

async function write(store: Store, round: number, writer: number): Promise<void> {
  for (let count = 0; ; count++) {
    const writes = crashWrites(round, writer, count);
    const revisions: readonly (Revision | undefined)[] = await store.transact({ writes });
    printLine(`ack ${writer} ${count} ${revisions.map((revision) => revision ?? '-').join(' ')}`);
  }
}

const [directory = '', round = ''] = process.argv.slice(2);
const store = await openEmbeddedStore({ directory });
printLine(`ready ${await store.revision(crashSlice)}`);
await Promise.all(Array.from({ length: crashWriters }, (_, writer) => write(store, Number(round), writer)));
