import { LevelByteReader } from './level-byte-reader.ts';
import { logRecords } from './log-damage.ts';

/** The files that belong to a store, according to LevelDB's manifest. */
export interface Manifest {
  /** The number of the oldest log that LevelDB needs, which must exist; 0 if there is no log yet. */
  readonly logNumber: number;
  /** The sizes of the table files in bytes, by file number. */
  readonly tables: ReadonlyMap<number, number>;
}

/** The field tags of a version edit, which is a record of LevelDB's manifest. */
const comparator = 1;
const logNumberField = 2;
const nextFileNumber = 3;
const lastSequence = 4;
const compactPointer = 5;
const deletedFile = 6;
const newFile = 7;
const previousLogNumber = 9;

/** Reads a manifest. Throws if a version edit with a valid checksum cannot be parsed. */
export function readManifest(bytes: Buffer): Manifest {
  let logNumber = 0;
  // The key contains the level. An edit that moves a table removes it from one level and adds it to another.
  const tables = new Map<string, { readonly number: number; readonly size: number }>();
  for (const record of logRecords(bytes)) {
    const edit = readEdit(new LevelByteReader(record));
    logNumber = edit.logNumber ?? logNumber;
    for (const levelAndNumber of edit.removed) tables.delete(levelAndNumber);
    for (const { levelAndNumber, ...table } of edit.added) tables.set(levelAndNumber, table);
  }
  return { logNumber, tables: new Map([...tables.values()].map(({ number, size }) => [number, size])) };
}

interface Edit {
  logNumber: number | undefined;
  readonly removed: string[];
  readonly added: { readonly levelAndNumber: string; readonly number: number; readonly size: number }[];
}

function readEdit(bytes: LevelByteReader): Edit {
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
      edit.added.push({ levelAndNumber: `${level} ${number}`, number, size: bytes.varint() });
      skipText();
      skipText();
    } else throw new RangeError(`unknown field ${field}`);
  }
  return edit;
}
