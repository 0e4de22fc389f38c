import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@flotilla/json';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { KubeObject } from '../api/meta.ts';
import { adminUser, builtInClusterName, managementGroup, managementVersion, projectNamespace } from '../api/naming.ts';
import { StatusError } from '../api/status.ts';
import type { UserInfo } from '../api/user-info.ts';
import { decide } from '../auth/authz/decide.ts';
import { visibilityFilterFor } from '../auth/authz/visibility-filter.ts';
import { tokenAlgorithm } from '../auth/direct-token.ts';
import { openControlPlane } from '../controlplane/control-plane.ts';
import { storedEvents } from '../controlplane/core/events.ts';
import { storedLeases } from '../controlplane/core/leases.ts';
import { readOnlyNamespaces } from '../controlplane/core/namespaces/namespaces.ts';
import { systemContext } from '../controlplane/system-context.ts';
import { ManualClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import type { RequestContext } from '../registry/context.ts';
import type { KindStore } from '../registry/kind-store.ts';
import type { MountedResource } from '../registry/mounted-resource.ts';
import type { DeleteOptions, ListOptions, PatchOptions, WatchOptions, WriteOptions } from '../registry/verbs.ts';
import { decodeDocument } from '../registry/write/decode.ts';
import { openSealer } from '../seal/open-sealer.ts';
import type { Sealer } from '../seal/sealer.ts';
import { openActivityLog } from '../server/activity/open-activity-log.ts';
import { openMailPreferences } from '../server/mail/mail-rows.ts';
import { openNotificationStates } from '../server/notifications/notification-states.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store.fixture.ts';
import { bootstrap } from './bootstrap.ts';
import type { ManagementDependencies } from './dependencies.ts';
import { accessKeyIdentity } from './identity.ts';
import { managementResources } from './management-resources.ts';
import { mountManagement } from './mount-management.ts';
import { defaultManagementSettings, type ManagementSettings } from './settings.ts';
import { createManagementState } from './state.ts';
import { authorizationSubjectOf } from './subject.ts';
import { createWebhookSender } from './webhooks/webhook-sender.ts';

export const writeOptions: WriteOptions = { dryRun: false, fieldManager: 'tester', fieldValidation: 'Warn' };
export const dryRun: WriteOptions = { ...writeOptions, dryRun: true };
export const patchOptions: PatchOptions = { ...writeOptions, force: false };
export const deleteOptions: DeleteOptions = {
  dryRun: false,
  gracePeriodSeconds: undefined,
  propagationPolicy: undefined,
  preconditions: {},
};
export const listOptions: ListOptions = { resourceVersion: '', resourceVersionMatch: '', limit: 0, continue: '' };
export const watchOptions: WatchOptions = {
  ...listOptions,
  allowBookmarks: false,
  sendInitialEvents: undefined,
  timeoutMilliseconds: 60_000,
};
export const latestVersion = { resourceVersion: '' };

export interface TestContext extends RequestContext {
  readonly warnings: string[];
}

export interface ManagementTestEnvOptions extends Pick<ManagementDependencies, 'connect'> {
  readonly store?: Store;
  readonly clock?: ManualClock;
  /**
   * The sealer that encrypts secrets. Optional; defaults to a sealer with a new key. Replicas that share a store need
   * the same sealer.
   */
  readonly sealer?: Sealer;
}

/** Opens a complete management API and creates its initial objects, by default over a memory store. */
export async function openManagementTestEnv(
  settings: Partial<ManagementSettings> = {},
  options: ManagementTestEnvOptions = {},
) {
  const { connect } = options;
  const clock = options.clock ?? new ManualClock();
  const store = options.store ?? openTestStore({ clock });
  // With the value 0, an access key can create keys without a fresh login, so most tests need no login.
  const merged: ManagementSettings = { ...defaultManagementSettings, auth: { freshLoginSeconds: 0 }, ...settings };
  const state = createManagementState({
    ...merged.projects,
    passwordsEnabled: merged.auth.password?.enabled !== false,
  });
  const sealer = options.sealer ?? openSealer(randomBytes(32));
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const signer = { kid: 'test-key', privateKey };
  const activity = openActivityLog({ store, retention: { added() {} } });
  const notificationStates = openNotificationStates(store);
  const mailPreferences = openMailPreferences(store);
  const webhookSender = createWebhookSender({ settings: merged.webhooks, clock });
  const stored = { activity, notificationStates, mailPreferences };
  const dependencies = { state, clock, sealer, ...stored, webhookSender, settings: merged, connect };
  const plane = await openControlPlane({
    id: 'management',
    store,
    clock,
    log: silentLog,
    resources: [...managementResources(dependencies), readOnlyNamespaces, storedEvents, storedLeases],
    mount: (stores) =>
      mountManagement(stores, {
        ...dependencies,
        instanceId: 'test-installation',
        signer: () => signer,
        sign: (claims) =>
          new SignJWT(claims).setProtectedHeader({ alg: tokenAlgorithm, kid: signer.kid }).sign(signer.privateKey),
        address: () => ({ root: 'https://flotilla.example/kubernetes', authority: undefined }),
        hasGateway: (cluster) => cluster === builtInClusterName,
        hostOf: () => undefined,
        credentialUses: { usesOf: async () => [] },
        usageOf: async () => new Map(),
      }),
    authorize: (identity, attributes) => decide(authorizationSubjectOf(identity, state), attributes, state),
    mayRead: (identity, kind, verb) => visibilityFilterFor(authorizationSubjectOf(identity, state), kind, state, verb),
    onMaintenanceWork() {},
  });
  const adminKey = await bootstrap(plane.kinds);

  const mounted = (plural: string): MountedResource => {
    const found = plane.find(managementGroup, managementVersion, plural) ?? plane.find('', 'v1', plural);
    if (found === undefined) throw new Error(`nothing is mounted at ${plural}`);
    return found;
  };
  const verbs = (plural: string) => mounted(plural).verbs as KindStore['verbs'];

  function contextOf(user: UserInfo, project: string, accessKey?: string): TestContext {
    const warnings: string[] = [];
    return {
      user,
      system: false,
      namespace: project === '' ? '' : projectNamespace(project),
      signal: new AbortController().signal,
      warnings,
      warn: (text) => void warnings.push(text),
      ...(accessKey === undefined ? {} : { accessKey }),
      may: (asked) =>
        decide(
          authorizationSubjectOf({ user, system: false, ...(accessKey === undefined ? {} : { accessKey }) }, state),
          {
            resourceRequest: true,
            verb: asked.verb,
            group: asked.group,
            version: managementVersion,
            resource: asked.resource,
            subresource: asked.subresource ?? '',
            namespace: asked.namespace ?? '',
            name: asked.name ?? '',
          },
          state,
        ).allowed,
    };
  }

  /** Returns the request context of a user, in a project or at cluster scope. */
  function as(name: string, project = '', accessKey?: string): TestContext {
    const user = accessKeyIdentity({ spec: { user: name } }, state);
    if (user === undefined) throw new Error(`user ${name} does not exist`);
    return contextOf(user, project, accessKey);
  }

  /** Returns a request body, decoded in the same way as by the request handlers. */
  function sent(plural: string, name: string, members: JsonObject = {}, metadata: JsonObject = {}): KubeObject {
    const body = { metadata: { ...(name === '' ? {} : { name }), ...metadata }, ...members };
    return decodeDocument(mounted(plural).kind, body, { findings: [] }).object;
  }

  const admin = (project = '') => as(adminUser, project);
  const create = async (plural: string, name: string, spec: JsonObject, context: RequestContext = admin()) =>
    (await verbs(plural).create(context, sent(plural, name, { spec }), writeOptions)).object;

  /** Deletes an object and removes its finalizers, as its controller would do. */
  async function remove(plural: string, name: string, project = ''): Promise<void> {
    const context = systemContext(project === '' ? '' : projectNamespace(project));
    const deleted = await verbs(plural).delete(context, name, deleteOptions);
    if ('gone' in deleted) return;
    const document = { metadata: { finalizers: null } };
    try {
      await verbs(plural).patch(context, name, { type: 'merge', document, findings: [] }, patchOptions);
    } catch (error) {
      // If the controller runs, it may already have completed the deletion.
      if (!(error instanceof StatusError) || error.code !== 404) throw error;
    }
  }

  return {
    clock,
    store,
    state,
    activity,
    notificationStates,
    mailPreferences,
    webhookSender,
    sealer,
    plane,
    adminKey,
    publicKeys: { keys: [{ ...(await exportJWK(publicKey)), kid: signer.kid, alg: 'ES256', use: 'sig' }] },
    mounted,
    verbs,
    as,
    admin,
    contextOf,
    sent,
    create,
    remove,
    system: (project = '') => systemContext(project === '' ? '' : projectNamespace(project)),
  };
}

export type ManagementTestEnv = Awaited<ReturnType<typeof openManagementTestEnv>>;

/** Returns the Status of the error with which a call is rejected. */
export async function rejectionStatus(call: Promise<unknown>): Promise<StatusError['status']> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof StatusError))
    throw new Error(`expected a StatusError, got ${String(error)}`, { cause: error });
  return error.status;
}
