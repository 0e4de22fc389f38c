import { createHmac, randomBytes } from 'node:crypto';
import { isJsonObject, type JsonObject } from '@flotilla/json';
import type { KubeObject } from '../../api/meta.ts';
import { StatusError } from '../../api/status.ts';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { RowSealing } from '../../registry/resource.ts';
import type { PatchOptions } from '../../registry/verbs.ts';
import { decodeDocument } from '../../registry/write/decode.ts';
import type { Store } from '../../store/store.ts';
import { openTestStore } from '../../store/test-store.fixture.ts';
import type { ControlPlane } from '../control-plane.ts';
import { openKubernetesPlane } from '../kubernetes-plane.ts';
import { startMaintenance } from '../maintenance/maintenance.ts';
import { tasksInPlanes } from '../maintenance/maintenance-task.ts';
import type { PartDependencies, PlanePart } from '../plane-part.ts';
import type { TokenKeys } from './accounts/account-tokens.ts';
import { type CorePart, corePart } from './core-part.ts';
import { rootCertificatesPart } from './root-certificates/root-certificates-part.ts';

export const testWriteOptions: PatchOptions = {
  dryRun: false,
  fieldManager: 'tester',
  fieldValidation: 'Strict',
  force: false,
};
export const dryRunWriteOptions: PatchOptions = { ...testWriteOptions, dryRun: true };
export const testDeleteOptions = {
  dryRun: false,
  gracePeriodSeconds: undefined,
  propagationPolicy: undefined,
  preconditions: {},
} as const;

/**
 * Encodes rows in a readable form instead of encrypting them. Tests can then check which rows are sealed and for which
 * purpose.
 */
export const testSealing: RowSealing = {
  seal: (purpose, clear) => JSON.stringify([purpose, Buffer.from(clear).toString('base64')]),
  open(purpose, sealed) {
    const [sealedFor, text] = JSON.parse(sealed) as [string, string];
    if (sealedFor !== purpose) throw new Error('the row was sealed for another purpose');
    return Buffer.from(text, 'base64').toString();
  },
};

/** Returns token keys with a random secret, so that only this process can create valid tokens. */
export function testTokenKeys(): TokenKeys {
  const secret = randomBytes(32);
  const sign = (text: string) => createHmac('sha256', secret).update(text).digest('base64url');
  return {
    installation: 'installation',
    async sign(claims) {
      const text = Buffer.from(JSON.stringify(claims)).toString('base64url');
      return `e30.${text}.${sign(text)}`;
    },
    async verify(token) {
      const [, text = '', signature] = token.split('.');
      if (signature !== sign(text)) return undefined;
      const claims: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
      return isJsonObject(claims) ? claims : undefined;
    },
    publicKeys: async () => ({ keys: [] }),
  };
}

export interface CoreTestEnvOptions {
  readonly id?: string;
  readonly store?: Store;
  readonly clock?: ManualClock;
  readonly keys?: TokenKeys;
  readonly longestTokenSeconds?: number;
  /** The CA bundle in the ConfigMap `kube-root-ca.crt` of each namespace. If absent, namespaces have none. */
  readonly rootCertificates?: string;
  /** Returns further parts of the plane. Optional; defaults to none. */
  moreParts?(dependencies: PartDependencies): readonly PlanePart[];
  /** True to start no maintenance, as if another process maintained the plane. */
  readonly withoutMaintenance?: boolean;
}

export interface CoreTestEnv {
  readonly plane: ControlPlane;
  readonly core: CorePart;
  readonly store: Store;
  readonly clock: ManualClock;
  readonly keys: TokenKeys;
  /** All warnings that responses to requests have contained. */
  readonly warnings: string[];
  context(namespace?: string): RequestContext;
  create(resource: string, object: JsonObject, namespace?: string): Promise<KubeObject>;
  update(resource: string, object: JsonObject, namespace?: string): Promise<KubeObject>;
  peek(resource: string, name: string, namespace?: string): KubeObject | undefined;
  remove(resource: string, name: string, namespace?: string): Promise<unknown>;
  /** Looks for maintenance work that other processes have recorded. Resolves when there is no more work. */
  runMaintenance(): Promise<void>;
  /** Resolves when there is no more maintenance work. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a plane that has only the core kinds. Every caller has all permissions. */
export async function openCoreTestEnv(options: CoreTestEnvOptions = {}): Promise<CoreTestEnv> {
  const clock = options.clock ?? new ManualClock();
  const store = options.store ?? openTestStore({ clock });
  const keys = options.keys ?? testTokenKeys();
  const warnings: string[] = [];
  let core: CorePart | undefined;
  let wake = () => {};
  const plane = await openKubernetesPlane({
    id: options.id ?? 'plane',
    store,
    clock,
    log: silentLog,
    compose(dependencies) {
      const { rootCertificates } = options;
      const certificates =
        rootCertificates === undefined ? undefined : rootCertificatesPart(dependencies, rootCertificates);
      core = corePart({
        ...dependencies,
        sealing: testSealing,
        tokens: keys,
        longestTokenSeconds: options.longestTokenSeconds ?? 86_400,
        authorize: () => ({ allowed: true, reason: '' }),
        rules: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
        ...(certificates === undefined ? {} : { rootCertificates: certificates.hooks }),
      });
      const more = [
        ...(certificates === undefined ? [] : [certificates]),
        ...(options.moreParts?.(dependencies) ?? []),
      ];
      return { parts: [core, ...more], authorize: () => ({ allowed: true, reason: '' }) };
    },
    onMaintenanceWork: () => wake(),
  });
  const maintenance = startMaintenance({
    store,
    clock,
    log: silentLog,
    runTask: tasksInPlanes(store, async () => plane),
  });
  if (options.withoutMaintenance === true) await maintenance.stop();
  else wake = () => maintenance.wake();
  const context = (namespace = 'default'): RequestContext => ({
    user: { name: 'jane', groups: [] },
    system: false,
    namespace,
    signal: new AbortController().signal,
    warn: (text) => void warnings.push(text),
    may: () => true,
  });
  const kindStore = (resource: string) => {
    const found = plane.kinds.get(resource);
    if (found === undefined) throw new Error(`the plane was opened without the kind ${resource}`);
    return found;
  };
  const shaped = (resource: string, object: JsonObject, namespace: string) =>
    decodeDocument(kindStore(resource).resource, object, {
      findings: [],
      namespace: kindStore(resource).resource.namespaced ? namespace : '',
    }).object;
  if (core === undefined) throw new Error('the parts of the plane were not composed');
  return {
    plane,
    core,
    store,
    clock,
    keys,
    warnings,
    context,
    async create(resource, object, namespace = 'default') {
      const { verbs } = kindStore(resource);
      return (await verbs.create(context(namespace), shaped(resource, object, namespace), testWriteOptions)).object;
    },
    async update(resource, object, namespace = 'default') {
      const { verbs } = kindStore(resource);
      const sent = shaped(resource, object, namespace);
      return (await verbs.update(context(namespace), sent.metadata.name ?? '', sent, testWriteOptions)).object;
    },
    peek: (resource, name, namespace = 'default') => kindStore(resource).peek(namespace, name)?.object,
    remove: (resource, name, namespace = 'default') =>
      kindStore(resource).verbs.delete(context(namespace), name, testDeleteOptions),
    async runMaintenance() {
      maintenance.wake();
      await maintenance.idle();
    },
    idle: () => maintenance.idle(),
    async close() {
      await maintenance.stop();
      plane.close();
    },
  };
}

export async function expectStatusError(call: Promise<unknown>): Promise<StatusError> {
  const error = await call.catch((thrown: unknown) => thrown);
  if (!(error instanceof StatusError))
    throw new Error('the request was not refused with a StatusError', { cause: error });
  return error;
}

/**
 * Calls `check` in every tick of the event loop until `check` returns a value. Does not depend on the clock of the
 * plane.
 */
export async function eventually<T>(check: () => T | undefined | false): Promise<T> {
  const end = performance.now() + 10_000;
  while (performance.now() < end) {
    const found = check();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('the check returned no value in ten seconds');
}

/** Returns all rows of a store as text, one JSON document per line. A backup contains the same rows. */
export async function dumpStoreAsText(store: Store): Promise<string> {
  const rows: string[] = [];
  for await (const row of store.dump()) rows.push(JSON.stringify(row));
  return rows.join('\n');
}
