import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditCheckpointList, AuditVerification, ReplicaCheckpoint } from '../../api/audit/audit-chain.ts';
import { openCheckpointVerifier } from '../../audit/chain/checkpoint-key.ts';
import { verifyAuditLog } from '../../audit/chain/verify-audit-log.ts';
import { describeError } from '../../process/private-dir.ts';
import { StartError } from '../../process/start-error.ts';
import { yieldToEventLoop } from './audit-handler.ts';

export interface VerifyFilesOptions {
  /** A data directory, or the path of a log file. */
  readonly path: string;
  readonly publicKeyFile?: string | undefined;
  /** A file with an AuditCheckpointList. */
  readonly checkpointsFile?: string | undefined;
  readonly replica?: string | undefined;
  readonly signal: AbortSignal;
}

/** The maximum number of rotated files to look for. No server keeps more. */
const maxFiles = 10_000;

/** Verifies the files of an audit log without a server. Throws StartError with a one-line message. */
export async function verifyAuditFiles(options: VerifyFilesOptions): Promise<AuditVerification> {
  const { path, publicKeyFile, checkpointsFile, signal } = options;
  const list = checkpointsFile === undefined ? undefined : await readCheckpoints(checkpointsFile);
  const publicKey = publicKeyFile === undefined ? list?.publicKey : await readText(publicKeyFile);
  return await verifyAuditLog(
    { path: await logPath(path), keptFiles: maxFiles },
    {
      signatures: publicKey === undefined ? undefined : openKey(publicKey, publicKeyFile ?? checkpointsFile ?? ''),
      checkpoint: list === undefined ? undefined : chooseCheckpoint(list.items, options.replica),
      signal,
      yieldToEventLoop,
    },
  );
}

async function logPath(path: string): Promise<string> {
  const found = await stat(path).catch((error: unknown) => {
    throw new StartError(`--file: cannot read ${path}: ${describeError(error)}`, { cause: error });
  });
  if (!found.isDirectory()) return path;
  const log = join(path, 'audit.log');
  await stat(log).catch((error: unknown) => {
    throw new StartError(`--file: the directory ${path} contains no audit.log`, { cause: error });
  });
  return log;
}

async function readText(path: string): Promise<string> {
  return await readFile(path, 'utf8').catch((error: unknown) => {
    throw new StartError(`cannot read ${path}: ${describeError(error)}`, { cause: error });
  });
}

async function readCheckpoints(path: string): Promise<AuditCheckpointList> {
  const text = await readText(path);
  try {
    const list = JSON.parse(text) as AuditCheckpointList;
    if (Array.isArray(list.items) && typeof list.publicKey === 'string') return list;
  } catch {
    // The error below also describes text that is not JSON.
  }
  throw new StartError(`--checkpoints: ${path} is not the output of flotilla audit checkpoints`);
}

function openKey(pem: string, path: string): ReturnType<typeof openCheckpointVerifier> {
  try {
    return openCheckpointVerifier(pem);
  } catch (error) {
    throw new StartError(`${path} contains no Ed25519 public key in PEM format`, { cause: error });
  }
}

function chooseCheckpoint(items: readonly ReplicaCheckpoint[], replica: string | undefined): ReplicaCheckpoint {
  const chosen = replica === undefined ? items : items.filter((each) => each.replica === replica);
  const [first, ...others] = chosen;
  const known = items.map((each) => each.replica).join(', ');
  if (first === undefined) throw new StartError(`--checkpoints: no checkpoint of this replica; available: ${known}`);
  if (others.length > 0)
    throw new StartError(`--checkpoints contains several replicas; set --replica to one of ${known}`);
  return first;
}
