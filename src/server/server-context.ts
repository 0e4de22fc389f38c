import type { AuditLog } from '../audit/audit-log.ts';
import { openAuditLog } from '../audit/open-audit-log.ts';
import { serviceAccountTokenKeys } from '../builtin/account-token-keys.ts';
import type { StartPlaneThread } from '../builtin/workers/plane-workers.ts';
import type { TokenKeys } from '../controlplane/core/accounts/account-tokens.ts';
import { type VersionInfo, versionInfo } from '../http/documents/version.ts';
import type { HealthCheck } from '../http/plane.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { programVersion } from '../lib/program-version.ts';
import type { CloseStack } from '../process/close-stack.ts';
import { describeError } from '../process/private-dir.ts';
import { loadServingTls, type ServingTls } from '../process/serving-tls.ts';
import { openSigningKeys, type SigningKeys } from '../process/signing-keys.ts';
import { StartError } from '../process/start-error.ts';
import type { StartThread } from '../process/threads/thread.ts';
import type { SealerKeys } from '../seal/open-sealer.ts';
import type { Sealer } from '../seal/sealer.ts';
import type { Store } from '../store/store.ts';
import { type DataDir, openDataDir } from './data/data-dir.ts';
import { diskHealthCheck } from './data/disk-check.ts';
import { loadSealer } from './data/load-sealer.ts';
import { openStore } from './data/open-store.ts';
import type { ServerOptions } from './settings/options.ts';
import type { RenderThreadData } from './templates/render-thread.ts';

/** The services that a server uses during its start. */
export interface ServerEnvironment {
  readonly clock: Clock;
  readonly log: Log;
  /** The close functions of everything that was opened. They are called in reverse order. */
  readonly closing: CloseStack;
  /** Starts other threads. If absent, virtual clusters run on the main thread, and templates are rendered there. */
  readonly threads?: ServerThreads | undefined;
}

/** The functions that start the threads of a server. */
export interface ServerThreads {
  readonly planes: StartPlaneThread;
  readonly rendering: StartThread<RenderThreadData>;
}

/** The settings, the files, the store and the keys, which all other parts of the server use. */
export interface ServerContext extends ServerEnvironment {
  readonly settings: ServerOptions;
  readonly dir: DataDir;
  readonly store: Store;
  readonly sealer: Sealer;
  /** The keys of the sealer, for other threads. They must never be stored or logged. */
  readonly sealerKeys: SealerKeys;
  readonly tls: ServingTls;
  readonly signingKeys: SigningKeys;
  readonly tokens: TokenKeys;
  readonly auditLog: AuditLog;
  readonly version: VersionInfo;
  readonly healthChecks: readonly HealthCheck[];
  readonly lifecycle: ServerLifecycle;
}

export interface ServerLifecycle {
  /** True after the shutdown has started. */
  ending: boolean;
}

/** Opens the data directory, the store, the keys and certificates, and the audit log. */
export async function openServerContext(
  settings: ServerOptions,
  environment: ServerEnvironment,
): Promise<ServerContext> {
  const { clock, log, closing } = environment;
  const dir = await openDataDir(settings.dataDir);
  const store = await openStore(dir, settings, clock, log);
  closing.add('store', () => store.close());
  const { sealer, sealerKeys } = await loadSealer(settings.sealKeyFile ?? dir.sealKey, store);
  const tls = await loadServingTls(dir, settings, clock, log);
  const signingKeys = await openSigningKeys({ path: dir.signingKey, clock, longestTTL: longestTokenTTL(settings) });
  const { maxBytes, keptFiles } = settings.audit;
  const auditLog = await openAuditLog({ path: dir.auditLog, maxBytes, keptFiles }).catch((error: unknown) => {
    throw new StartError(`cannot open the audit log ${dir.auditLog}: ${describeError(error)}`, { cause: error });
  });
  closing.add('audit log', () => auditLog.close());
  const lifecycle: ServerLifecycle = { ending: false };
  return {
    ...environment,
    settings,
    dir,
    store,
    sealer,
    sealerKeys,
    tls,
    signingKeys,
    tokens: serviceAccountTokenKeys({ signingKeys, installation: store.identity }),
    auditLog,
    version: versionInfo({ packageVersion: programVersion }),
    healthChecks: [...serverChecks(store, lifecycle), diskHealthCheck(store, clock, log)],
    lifecycle,
  };
}

function longestTokenTTL({ management, planes }: ServerOptions): number {
  return Math.max(management.directTokens.maxTTL, management.gateway.maxTokenTTL, planes.maxTokenTTL);
}

function serverChecks(store: Store, lifecycle: Readonly<ServerLifecycle>): HealthCheck[] {
  return [
    {
      name: 'store',
      on: ['healthz', 'readyz'],
      check: async () => {
        await store.revision('management');
      },
    },
    {
      name: 'shutdown',
      on: ['readyz'],
      check() {
        if (lifecycle.ending) throw new Error('the server is shutting down');
      },
    },
  ];
}
