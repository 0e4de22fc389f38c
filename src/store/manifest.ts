import { LevelBytes } from './level-bytes.ts';
import { logRecords } from './log-damage.ts';

/** What LevelDB's manifest says that the store is made of. */
export interface Manifest {
  /** The oldest log that is still needed. It always exists; 0: none yet. */
  readonly logNumber: number;
  /** Files of rows with their sizes. */
  readonly tables: ReadonlyMap<number, number>;
}

/** Fields of an edit, as LevelDB numbers them. */
const comparator = 1;
const logNumberField = 2;
const nextFileNumber = 3;
const lastSequence = 4;
const compactPointer = 5;
const deletedFile = 6;
const newFile = 7;
const previousLogNumber = 9;

/** Throws where an edit, though its checksum is right, cannot be understood. */
export function readManifest(bytes: Buffer): Manifest {
  let logNumber = 0;
  // A table that only moves between levels is removed and added by the same edit.
  const tables = new Map<string, { readonly number: number; readonly size: number }>();
  for (const record of logRecords(bytes)) {
    const edit = readEdit(new LevelBytes(record));
    logNumber = edit.logNumber ?? logNumber;
    for (const place of edit.removed) tables.delete(place);
    for (const { place, ...table } of edit.added) tables.set(place, table);
  }
  return { logNumber, tables: new Map([...tables.values()].map(({ number, size }) => [number, size])) };
}

interface Edit {
  logNumber: number | undefined;
  readonly removed: string[];
  readonly added: { readonly place: string; readonly number: number; readonly size: number }[];
}

function readEdit(bytes: LevelBytes): Edit {
  const edit: Edit = { logNumber: undefined, removed: [], added: [] };
  const skipText = () => bytes.take(bytes.varint());
  while (!bytes.atEnd) {
    const field = bytes.varint();
    if (field === logNumberField) edit.logNumber = bytes.varint();
    else if (field === nextFileNumber || field === lastSequence || field === previousLogNumber) bytes.varint();
    else if (field === comparator) skipText();
    else if (field === compactPointer) {
      bytes.varint();
      skipText();
    } else if (field === deletedFile) edit.removed.push(`${bytes.varint()} ${bytes.varint()}`);
    else if (field === newFile) {
      const level = bytes.varint();
      const number = bytes.varint();
      edit.added.push({ place: `${level} ${number}`, number, size: bytes.varint() });
      skipText();
      skipText();
    } else throw new RangeError(`field ${field} is unknown`);
  }
  return edit;
}
