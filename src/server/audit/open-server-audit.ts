import type { AuditLog } from '../../audit/audit-log.ts';
import type { CheckpointKey } from '../../audit/chain/checkpoint-key.ts';
import type { AuditLogLocation } from '../../audit/log-files.ts';
import { monitorAuditLog } from '../../audit/monitor-audit-log.ts';
import { type ChainedAuditLog, openAuditLog } from '../../audit/open-audit-log.ts';
import type { HealthCheck } from '../../http/plane.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { CloseStack } from '../../process/close-stack.ts';
import { describeError } from '../../process/private-dir.ts';
import { StartError } from '../../process/start-error.ts';
import type { Sealer } from '../../seal/sealer.ts';
import type { Store } from '../../store/store.ts';
import type { DataDir } from '../data/data-dir.ts';
import type { ServerOptions } from '../settings/options.ts';
import { loadAuditKey } from './audit-key.ts';
import { CheckpointKeeper } from './checkpoint-keeper.ts';
import { Forwarders } from './forwarders.ts';
import { StoredCheckpoints } from './stored-checkpoints.ts';

export interface ServerAuditOptions {
  /** The ID of this replica. */
  readonly id: string;
  readonly store: Store;
  readonly sealer: Sealer;
  readonly dir: DataDir;
  readonly settings: Pick<ServerOptions, 'audit'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly closing: CloseStack;
}

export interface ServerAudit {
  readonly auditLog: AuditLog;
  readonly auditChecks: readonly HealthCheck[];
  readonly location: AuditLogLocation;
  /** The key that signs the log. */
  readonly key: CheckpointKey;
  readonly checkpoints: StoredCheckpoints;
  /** Signs the last line and stores the signature. */
  signNow(): Promise<void>;
  readonly forwarders: Forwarders;
}

/**
 * Opens the audit log of this server and signs it. If the store is not on the disk of the log, also returns a check for
 * `/readyz`. A server that must refuse writes because it cannot record them is then not ready, so a load balancer uses
 * other servers.
 */
export async function openServerAudit(options: ServerAuditOptions): Promise<ServerAudit> {
  const { store, sealer, dir, settings, clock, log, closing } = options;
  const { maxBytes, keptFiles, heldFiles, forward, onFailure } = settings.audit;
  const path = dir.auditLog;
  const most = forward.length === 0 ? 0 : heldFiles;
  const location = { path, keptFiles: keptFiles + most };
  const targets = { targets: forward, keptFiles, maxHeldFiles: most, positionsPath: dir.auditForward };
  const forwarders = new Forwarders({ ...targets, location, clock, log });
  const key = await loadAuditKey(store, sealer);
  const checkpoints = new StoredCheckpoints(store);
  const opened = await openAuditLog({
    path,
    maxBytes,
    keptFiles,
    held: { count: () => forwarders.heldFiles(), most },
    sign: (head) => key.sign(head, clock.now()),
  }).catch((error: unknown) => {
    throw new StartError(`cannot open the audit log ${path}: ${describeError(error)}`, { cause: error });
  });
  closing.add('audit log', () => opened.close());
  const signNow = await signLog(options, { opened, location, key, checkpoints });
  await startForwarders(forwarders, opened, options);
  const shared = { location, key, checkpoints, signNow, forwarders };
  const checks = forward.length === 0 ? [] : [forwarders.healthCheck()];
  if (!store.isShared || onFailure === 'continue') return { auditLog: opened, auditChecks: checks, ...shared };
  const { auditLog, assertWritable } = monitorAuditLog({ auditLog: opened, path, clock, log });
  const writable: HealthCheck = { name: 'audit-log', on: ['readyz'], check: assertWritable };
  return { auditLog, auditChecks: [writable, ...checks], ...shared };
}

async function startForwarders(
  forwarders: Forwarders,
  opened: ChainedAuditLog,
  { settings, closing }: ServerAuditOptions,
): Promise<void> {
  if (settings.audit.forward.length === 0) return;
  if (!opened.isFile) {
    throw new StartError('audit.forward needs an audit log that is a regular file, not a device or a pipe');
  }
  await forwarders.start(() => opened.head);
  closing.add('audit forwarders', () => forwarders.close());
}

interface LogToSign extends Pick<ServerAudit, 'location' | 'key' | 'checkpoints'> {
  readonly opened: ChainedAuditLog;
}

/** Starts to sign the log. Returns a function that signs the last line. */
async function signLog(
  { id, clock, log, closing }: ServerAuditOptions,
  { opened, location, key, checkpoints }: LogToSign,
): Promise<() => Promise<void>> {
  if (opened.repairedBytes > 0) {
    log.warn({ bytes: opened.repairedBytes }, 'removed the rest of an interrupted write from the audit log');
  }
  // A log that is a device or a pipe is not signed. It cannot be read, so a signature could not be verified.
  if (!opened.isFile) return async () => {};
  const keeper = await CheckpointKeeper.open({ id, auditLog: opened, location, key, checkpoints, clock, log });
  closing.add('audit checkpoints', () => keeper.close());
  return () => keeper.signNow();
}
