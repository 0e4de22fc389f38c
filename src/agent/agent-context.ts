import type { AuditLog } from '../audit/audit-log.ts';
import { openAuditLog } from '../audit/open-audit-log.ts';
import type { StartPlaneThread } from '../builtin/workers/plane-workers.ts';
import { type VersionInfo, versionInfo } from '../http/documents/version.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { programVersion } from '../lib/program-version.ts';
import { ensureCertificateAuthority } from '../process/certificates.ts';
import type { CloseStack } from '../process/close-stack.ts';
import { loadServingTls, type ServingTls } from '../process/serving-tls.ts';
import { openSealer } from '../seal/open-sealer.ts';
import { createSealKeyFile, readSealKeyFile } from '../seal/seal-key-file.ts';
import type { Sealer } from '../seal/sealer.ts';
import { type AgentDir, openAgentDir } from './agent-dir.ts';
import { auditLogWithOutbox } from './audit-log-with-outbox.ts';
import { type AuditOutbox, openAuditOutbox } from './audit-outbox.ts';
import { type AgentServer, findServer } from './join/find-server.ts';
import { IdentityFile } from './join/identity-file.ts';
import type { AgentOptions, ConnectedAgentOptions } from './options.ts';

/** The dependencies that the caller of `startAgent` provides. */
export interface AgentEnvironment {
  readonly clock: Clock;
  readonly log: Log;
  /** Starts worker threads. If absent, the virtual clusters of a built-in cluster run on the main thread. */
  readonly startPlaneThread?: StartPlaneThread | undefined;
  /** Aborts the start. Optional; without it, the start cannot be aborted. */
  readonly stopping?: AbortSignal | undefined;
  /** The cleanup functions of everything that the agent has opened. They run in reverse order. */
  readonly closing: CloseStack;
}

/** The settings, keys and logs that all other components of the agent depend on. */
export interface AgentContext extends AgentEnvironment {
  readonly settings: ConnectedAgentOptions;
  readonly server: AgentServer;
  readonly dir: AgentDir;
  /**
   * Seals the files of the agent with the first key of the seal key file, and opens files that were sealed with any key
   * in the seal key file.
   */
  readonly sealer: Sealer;
  /** True if the seal key file contains former keys, which open files but do not seal them. */
  readonly hasFormerKeys: boolean;
  readonly tls: ServingTls;
  /** Audit lines that the agent has not uploaded to the control server yet. */
  readonly outbox: AuditOutbox;
  readonly auditLog: AuditLog;
  readonly version: VersionInfo;
  readonly lifecycle: {
    /** True after the shutdown has started. */
    ending: boolean;
  };
}

/** Opens the agent's data directory, its keys and certificates, and its audit log. */
export async function openAgentContext(flags: AgentOptions, environment: AgentEnvironment): Promise<AgentContext> {
  const { clock, log, closing, stopping = never } = environment;
  const dir = await openAgentDir(flags.dataDir);
  const [sealKey = new Uint8Array(), ...formerKeys] = await loadSealKeys(dir.sealKey);
  const sealer = openSealer(sealKey, formerKeys);
  const hasFormerKeys = formerKeys.length > 0;
  const identities = new IdentityFile(dir.identity, sealer);
  const server = await findServer({ settings: flags, identities, clock, log }, stopping);
  const { settings } = server;
  const authority = await ensureCertificateAuthority(dir, clock);
  const tls = await loadServingTls({ dir, settings, authority, clock, log });
  const outbox = await openAuditOutbox({
    path: dir.auditOutbox,
    onDropped: (lines) =>
      log.error({ lines }, 'dropped audit lines before their upload; they remain only in the audit log of the agent'),
  });
  const auditLog = auditLogWithOutbox(await openAuditLog({ path: dir.auditLog }), outbox);
  closing.add('audit log', () => auditLog.close());
  const version = versionInfo({ packageVersion: programVersion });
  const lifecycle = { ending: false };
  return { ...environment, settings, server, dir, sealer, hasFormerKeys, tls, outbox, auditLog, version, lifecycle };
}

const never = new AbortController().signal;

async function loadSealKeys(path: string): Promise<readonly Uint8Array[]> {
  return (await readSealKeyFile(path)) ?? [await createSealKeyFile(path)];
}
