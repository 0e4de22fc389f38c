import type { AuditCheckpoint, AuditProblem, AuditVerification, ChainLink } from '../../api/audit/audit-chain.ts';
import { auditLineTimestamp, mayBeAgentLine } from '../audit-line-matcher.ts';
import { chainHash, hashTextLength, isHash, lineEnd, readLink } from './chain-format.ts';
import type { CheckpointVerifier } from './checkpoint-key.ts';

/** The maximum number of findings of one verification. A damaged file could have one finding per line. */
const maxFindings = 100;

/**
 * The maximum time between signatures, in milliseconds. A server signs the newest hash every minute, so a longer gap
 * means that signatures were removed.
 */
const maxUnsignedMilliseconds = 10 * 60_000;

interface Expected {
  readonly seq: number;
  readonly hash: string;
}

interface LogPosition {
  readonly file: string;
  readonly line: number;
}

export interface LineVerifierOptions {
  /** Checks signatures. Optional; without this verifier, only the hashes are checked. */
  readonly signatures?: CheckpointVerifier | undefined;
  /** The newest checkpoint of the log, which must come from a place other than the log itself. */
  readonly checkpoint?: AuditCheckpoint | undefined;
}

/** Verifies the lines of one audit log, which must be added from the oldest to the newest. */
export class LineVerifier {
  readonly #options: LineVerifierOptions;
  readonly #problems: AuditProblem[] = [];
  readonly #notices: AuditProblem[] = [];
  readonly #files: string[] = [];
  #lines = 0;
  #unprotected = 0;
  #first: AuditVerification['first'];
  #last: AuditVerification['last'];
  #head: Expected | undefined;
  #position: LogPosition = { file: '', line: 0 };
  #signedUpTo: number | undefined;
  /** The time of the first line after the last signature, in milliseconds since the epoch. */
  #unsignedSince: number | undefined;
  #hasCheckpoint = false;

  constructor(options: LineVerifierOptions) {
    this.#options = options;
  }

  startFile(name: string): void {
    this.#files.push(name);
    this.#position = { file: name, line: 0 };
  }

  /** Adds the next line, without its newline. */
  add(line: Buffer): void {
    this.#position = { file: this.#position.file, line: this.#position.line + 1 };
    const link = readLink(line);
    if (link === undefined) this.#addUnprotected();
    else this.#addLinked(line, link);
  }

  /** Reports text after the last newline of a file. */
  addIncompleteLine(isNewestFile: boolean): void {
    this.#position = { file: this.#position.file, line: this.#position.line + 1 };
    const message = 'the line is incomplete: it is being written, or a write was interrupted';
    this.#report(isNewestFile ? this.#notices : this.#problems, message);
  }

  result(): AuditVerification {
    this.#checkEnd();
    return {
      files: this.#files,
      lines: this.#lines,
      unprotectedLines: this.#unprotected,
      ...(this.#first === undefined ? {} : { first: this.#first }),
      ...(this.#last === undefined ? {} : { last: this.#last }),
      ...(this.#signedUpTo === undefined ? {} : { signedUpTo: this.#signedUpTo }),
      problems: this.#problems,
      notices: this.#notices,
    };
  }

  #addUnprotected(): void {
    if (this.#head === undefined) this.#unprotected++;
    else this.#report(this.#problems, 'the line has no hash; it was changed or added');
  }

  #addLinked(line: Buffer, link: ChainLink): void {
    const text = line.toString('utf8');
    const { seq, hash } = link;
    const previous = this.#previousHash(link);
    if (previous !== undefined) {
      const body = line.subarray(0, line.length + 1 - hashTextLength);
      const expected = chainHash(Buffer.concat([Buffer.from(previous + lineEnd), body]));
      if (expected !== hash)
        this.#report(this.#problems, `line ${seq} of the log was changed: its hash does not match`);
    }
    this.#head = { seq, hash };
    this.#lines++;
    this.#checkNotes(link);
    this.#noteTimes(text, seq);
    const { checkpoint } = this.#options;
    if (checkpoint?.seq === seq) {
      this.#hasCheckpoint = true;
      if (checkpoint.hash !== hash) {
        this.#report(this.#problems, `line ${seq} of the log differs from the checkpoint of ${checkpoint.time}`);
      }
    }
  }

  /**
   * Checks the position of the line, and returns the hash of the previous line; `undefined` if that hash is unknown.
   */
  #previousHash({ seq, previous }: ChainLink): string | undefined {
    const head = this.#head;
    if (head === undefined) {
      if (isHash(previous)) return previous;
      this.#report(this.#problems, `the log starts at line ${seq}; the lines before it were removed`);
      return undefined;
    }
    if (seq === head.seq + 1) {
      if (previous !== undefined && previous !== head.hash) {
        this.#report(this.#problems, `line ${seq} of the log does not continue the line before it`);
      }
      return head.hash;
    }
    this.#report(this.#problems, gapMessage(head.seq, seq));
    return isHash(previous) ? previous : undefined;
  }

  #checkNotes({ seq, previous, signed, repaired, lost }: ChainLink): void {
    if (lost !== undefined) {
      const message = `signed lines were missing when the server started: line ${lost.seq} of its log had been removed or changed`;
      this.#report(this.#problems, message);
    }
    if (repaired !== undefined) {
      const message = `the server removed ${repaired.bytes} bytes of an interrupted write before this line`;
      this.#report(this.#notices, message);
    }
    const { signatures } = this.#options;
    if (signatures === undefined) return;
    if (signed !== undefined && previous !== undefined) {
      const reason = signatures.check({ ...signed, seq: seq - 1, hash: previous });
      if (reason === undefined) this.#signedUpTo = seq - 1;
      else this.#report(this.#problems, `${reason}: lines up to ${seq - 1} of the log`);
      this.#unsignedSince = undefined;
    } else if (this.#lines === 1 && seq > 1) {
      this.#report(this.#problems, `the log starts at line ${seq} without a signature of the lines before it`);
    }
  }

  #noteTimes(text: string, seq: number): void {
    const milliseconds = auditLineTimestamp(text);
    const time = milliseconds === undefined ? '' : new Date(milliseconds).toISOString();
    this.#first ??= { seq, time };
    this.#last = { seq, time };
    if (milliseconds === undefined || mayBeAgentLine(text)) return;
    this.#checkUnsigned(milliseconds, seq);
    this.#unsignedSince ??= milliseconds;
  }

  /** Reports, at most once, that signatures were absent for too long. */
  #checkUnsigned(milliseconds: number, seq: number): void {
    const { signatures } = this.#options;
    const since = this.#unsignedSince;
    if (signatures === undefined || since === undefined || !Number.isFinite(since)) return;
    if (milliseconds - since <= maxUnsignedMilliseconds) return;
    this.#report(this.#problems, `no signature covers line ${seq} of the log and the 10 minutes before it`);
    this.#unsignedSince = Number.POSITIVE_INFINITY;
  }

  #checkEnd(): void {
    const { checkpoint, signatures } = this.#options;
    if (checkpoint === undefined) return;
    const reason = signatures?.check(checkpoint);
    if (reason !== undefined) this.#report(this.#problems, `${reason}: the newest checkpoint`);
    const last = this.#head?.seq ?? 0;
    if (this.#hasCheckpoint) {
      if (signatures !== undefined) this.#signedUpTo = Math.max(this.#signedUpTo ?? 0, checkpoint.seq);
    } else if (last < checkpoint.seq) {
      const message = `the log ends at line ${last}, but lines up to ${checkpoint.seq} were signed at ${checkpoint.time}; the last lines were removed`;
      this.#report(this.#problems, message);
    } else if ((this.#first?.seq ?? 0) <= checkpoint.seq) {
      this.#report(
        this.#problems,
        `line ${checkpoint.seq} of the log, which was signed at ${checkpoint.time}, is missing`,
      );
    }
  }

  #report(list: AuditProblem[], message: string): void {
    if (list.length < maxFindings) list.push({ ...this.#position, message });
  }
}

function gapMessage(before: number, seq: number): string {
  if (seq <= before) return `line ${seq} of the log follows line ${before}: lines were moved or repeated`;
  const missing = seq - before === 2 ? `line ${before + 1} is` : `lines ${before + 1} to ${seq - 1} are`;
  return `${missing} missing before line ${seq} of the log`;
}
