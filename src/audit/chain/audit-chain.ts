import { randomBytes } from 'node:crypto';
import type { ChainHead, CheckpointSignature } from '../../api/audit/audit-chain.ts';
import { type ChainNotes, chainHash, hashText, hashTextLength, lineEnd, linkText, seedLength } from './chain-format.ts';

/** Signs the state of an audit log. Must be fast, because it is called during the write of a line. */
export type SignHead = (head: ChainHead) => CheckpointSignature;

export interface AuditChainOptions {
  /** The last line of the log. Absent if the log has no line with a hash; the chain then starts with the next line. */
  readonly head?: ChainHead | undefined;
  /** Signs the state of the log. Optional; without this function, lines have hashes but no signatures. */
  readonly sign?: SignHead | undefined;
  /** The number of bytes of an incomplete write that were removed from the end of the log. */
  readonly repairedBytes?: number | undefined;
}

/** Lines with their links, and the state of the chain after these lines. */
export interface LinkedLines {
  readonly bytes: Buffer;
  readonly head: ChainHead;
}

/** The maximum length of `linkText` for a line without notes, in characters. */
const maxPlainLink = 32;

/**
 * Adds a link with a running hash to each line of an audit log. A failed write leaves the chain unchanged: the lines of
 * the next write continue from the last successful write.
 */
export class AuditChain {
  readonly #sign: SignHead | undefined;
  #head: ChainHead;
  #isSignatureDue = true;
  #repaired: ChainNotes['repaired'];
  #lost: ChainNotes['lost'];

  constructor({ head, sign, repairedBytes }: AuditChainOptions) {
    this.#sign = sign;
    this.#head = head ?? { seq: 0, hash: randomBytes(32).toString('base64url') };
    if (repairedBytes !== undefined) this.#repaired = { bytes: repairedBytes };
  }

  /** The last line that was written. Its `seq` is 0 if there is none. */
  get head(): ChainHead {
    return this.#head;
  }

  /** Adds a signature of the previous line to the next line. */
  signNext(): void {
    this.#isSignatureDue = true;
  }

  /**
   * Adds a record to the next line. The record states that signed lines were missing when the server started. `lost` is
   * the newest missing line.
   */
  recordLoss(lost: ChainHead): void {
    this.#lost = lost;
  }

  /** Adds links to complete lines. The caller writes the result, and calls `accept` after the write succeeds. */
  link(lines: Uint8Array, count: number, isFileStart: boolean): LinkedLines {
    let notes = this.#notes(isFileStart);
    const notesLength = notes === undefined ? 0 : linkText(0, notes).length;
    const out = Buffer.allocUnsafe(seedLength + lines.length + notesLength + count * (maxPlainLink + hashTextLength));
    let { seq, hash } = this.#head;
    let at = out.write(hash + lineEnd, 0, 'latin1');
    let seedStart = 0;
    for (let start = 0; start < lines.length; ) {
      const newline = lines.indexOf(10, start);
      // The last two bytes of a line are a closing brace and a newline. The link is inserted before them.
      out.set(lines.subarray(start, newline - 1), at);
      at += newline - 1 - start;
      seq++;
      at += out.write(linkText(seq, notes), at, 'latin1');
      notes = undefined;
      hash = chainHash(out.subarray(seedStart, at));
      at += out.write(`${hashText(hash)}\n`, at, 'latin1');
      seedStart = at - seedLength;
      start = newline + 1;
    }
    return { bytes: out.subarray(seedLength, at), head: { seq, hash } };
  }

  accept({ head }: LinkedLines): void {
    this.#head = head;
    this.#isSignatureDue = false;
    this.#repaired = undefined;
    this.#lost = undefined;
  }

  #notes(isFileStart: boolean): ChainNotes | undefined {
    const isSigned = this.#sign !== undefined && this.#head.seq > 0 && (isFileStart || this.#isSignatureDue);
    const repaired = this.#repaired;
    const lost = this.#lost;
    if (!isSigned && !isFileStart && this.#head.seq > 0 && repaired === undefined && lost === undefined) {
      return undefined;
    }
    return {
      previous: this.#head.hash,
      ...(isSigned && this.#sign !== undefined ? { signed: this.#sign(this.#head) } : {}),
      ...(repaired === undefined ? {} : { repaired }),
      ...(lost === undefined ? {} : { lost }),
    };
  }
}
