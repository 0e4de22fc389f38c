import { basename } from 'node:path';
import type { AuditVerification } from '../../api/audit/audit-chain.ts';
import { type AuditLogLocation, auditLogPath, findAuditLogFiles, withAuditLogFile } from '../log-files.ts';
import { readLinesForwards } from '../read-lines-forwards.ts';
import { LineVerifier, type LineVerifierOptions } from './verify-lines.ts';

export interface VerifyOptions extends LineVerifierOptions {
  readonly signal: AbortSignal;
  /** Resolves after other work of the event loop has run. Awaited after each chunk. */
  yieldToEventLoop(): Promise<void>;
}

/**
 * Verifies all files of an audit log, from the oldest line to the newest. The log may be written and rotated during the
 * verification. Callers must read the checkpoint in `options` before they call this function.
 */
export async function verifyAuditLog(location: AuditLogLocation, options: VerifyOptions): Promise<AuditVerification> {
  const { signal, yieldToEventLoop } = options;
  const verifier = new LineVerifier(options);
  const files = (await findAuditLogFiles(location)).reverse();
  for (const file of files) {
    await withAuditLogFile(location, file, async (handle) => {
      verifier.startFile(basename(auditLogPath(location, file.index)));
      let read = 0;
      for await (const { lines, end } of readLinesForwards(handle, { start: 0, end: file.size })) {
        signal.throwIfAborted();
        for (const line of lines) verifier.add(line);
        read = end;
        await yieldToEventLoop();
      }
      if (read < file.size) verifier.addIncompleteLine(file === files.at(-1));
    });
  }
  return verifier.result();
}
