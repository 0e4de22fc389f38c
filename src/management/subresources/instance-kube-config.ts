import { randomUUID } from 'node:crypto';
import { type JsonObject, numberAt, objectAt, textAt, writeJson } from '@flotilla/json';
import { dump } from 'js-yaml';
import { type FieldError, invalid, tooLong } from '../../api/field-error.ts';
import {
  type VirtualClusterInstance,
  virtualClusterInstanceKind,
} from '../../api/management/v1/virtual-cluster-instance.ts';
import { virtualClusterInstanceKubeConfigKind } from '../../api/management/v1/virtual-cluster-instance-kube-config.ts';
import type { KubeObject } from '../../api/meta.ts';
import { managementGroup, projectOfNamespace } from '../../api/naming.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { validateSchema } from '../../api/schema/validate.ts';
import { forbidden, invalidObject, notFound, notImplemented } from '../../api/status.ts';
import { gatewayTokenPayload } from '../../auth/gateway-token.ts';
import { keyFingerprint } from '../../auth/key-state.ts';
import { withoutTrailingSlashes } from '../../lib/without-trailing-slashes.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { MountedSubresource } from '../../registry/mounted-resource.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import { computedObject } from './computed-object.ts';
import { requestingKeyScopes, requireRequestingKey, tokenExpiry } from './requesting-key.ts';

/** The address at which clients reach this server. */
export interface ServerAddress {
  /** The URL with the API prefix and without a trailing slash: `https://127.0.0.1:8443/kubernetes`. */
  readonly root: string;
  /** PEM-encoded CA certificate. `undefined` if the operating systems of clients already trust the server. */
  readonly authority: string | undefined;
}

export interface InstanceKubeConfigOptions extends Pick<ManagementDependencies, 'state' | 'settings' | 'clock'> {
  /** The unique ID of this installation, which is the issuer of the tokens. */
  readonly instanceId: string;
  /** Signs the claims of a token and returns the token. */
  sign(claims: JsonObject): Promise<string>;
  address(): ServerAddress;
  /** True if this server can forward requests to virtual clusters on that cluster. */
  hasGateway(cluster: string): boolean;
}

const kind = virtualClusterInstanceKubeConfigKind;

/** Maximum size in bytes of the scopes in a token, as JSON. A token must fit into a request header. */
const maxScopeBytes = 8 * 1024;

/** Maximum length of a server address. Writing a long one as YAML would take most of the time of the request. */
const maxServerLength = 2_048;

/** POST `kubeconfig` of an instance: returns a kubeconfig with a gateway token. Stores nothing. */
export function instanceKubeConfig(options: InstanceKubeConfigOptions): MountedSubresource {
  return {
    kind,
    verbs: {
      async createNamed(context, name, sent, { dryRun }) {
        const project = projectOfNamespace(context.namespace);
        const instance = options.state.instance(context.namespace, name);
        if (project === undefined || instance === undefined) {
          throw notFound(groupResourceOf(virtualClusterInstanceKind), name);
        }
        const scopes = requestingKeyScopes(context, options.state);
        throwIfInvalid(name, sent, scopes, options);
        const cluster = instance.spec?.clusterRef?.cluster ?? '';
        if (cluster !== '' && !options.hasGateway(cluster)) {
          throw notImplemented(`this server has no gateway to the virtual clusters of the cluster ${cluster}`);
        }
        const token = await tokenFor(instance, sent, context, options);
        const { root, authority } = addressFor(cluster, options);
        const server = serverOf(textAt(sent, 'spec', 'server'), root, project, name);
        const kubeConfig = kubeconfigOf(`${project}/${name}`, server, authority, token);
        return computedObject(
          kind,
          { ...sent.metadata, name, namespace: context.namespace },
          { spec: objectAt(sent, 'spec') ?? {}, ...(dryRun ? {} : { status: { kubeConfig } }) },
        );
      },
    },
  };
}

function throwIfInvalid(
  name: string,
  sent: KubeObject,
  scopes: readonly JsonObject[],
  { settings }: InstanceKubeConfigOptions,
): void {
  const ttl = numberAt(sent, 'spec', 'certificateTTL');
  const { maxTokenTTL } = settings.gateway;
  const ttlPath = 'spec.certificateTTL';
  const isTooLong = Buffer.byteLength(writeJson([...scopes])) > maxScopeBytes;
  const errors: FieldError[] = [
    ...validateSchema(kind.schema, sent, ''),
    ...(ttl !== undefined && ttl <= 0 ? [invalid(ttlPath, ttl, 'must be greater than 0')] : []),
    ...(ttl !== undefined && ttl > maxTokenTTL
      ? [invalid(ttlPath, ttl, `must be less than or equal to ${maxTokenTTL}, the maximum of this server`)]
      : []),
    ...serverErrors(textAt(sent, 'spec', 'server')),
    ...(isTooLong ? [tooLong('scope', maxScopeBytes)] : []),
  ];
  // Only the first error of each field is reported. A value that is not a number gets no second error for its size.
  const distinct = errors.filter(({ field }, index) => errors.findIndex((other) => other.field === field) === index);
  if (distinct.length > 0) throw invalidObject(kind, name, distinct);
}

function serverErrors(server: string): FieldError[] {
  if (server.length > maxServerLength) return [tooLong('spec.server', maxServerLength)];
  if (server === '' || isServer(server)) return [];
  return [invalid('spec.server', server, 'must be an https URL without user, query and fragment')];
}

function isServer(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return (
    url?.protocol === 'https:' && url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  );
}

/** Returns the address for the kubeconfig: the direct endpoint of the cluster if it has one, otherwise this server. */
function addressFor(cluster: string, { state, address }: InstanceKubeConfigOptions): ServerAddress {
  const serverAddress = address();
  const { host: endpoint = '', caData: authority = '' } = state.cluster(cluster)?.spec?.directEndpoint ?? {};
  const host = withoutTrailingSlashes(endpoint);
  if (host === '') return serverAddress;
  const prefix = serverAddress.root.slice(serverAddress.root.lastIndexOf('/'));
  return {
    root: `${host.includes('://') ? host : `https://${host}`}${prefix}`,
    authority: authority === '' ? undefined : authority,
  };
}

/** Returns the server URL of the kubeconfig. A requested URL without a path is another address of this server. */
function serverOf(requested: string, root: string, project: string, name: string): string {
  const path = `/project/${project}/virtualcluster/${name}`;
  if (requested === '') return `${root}${path}`;
  const trimmed = withoutTrailingSlashes(requested);
  return new URL(requested).pathname === '/' ? `${trimmed}${new URL(root).pathname}${path}` : trimmed;
}

async function tokenFor(
  instance: VirtualClusterInstance,
  sent: KubeObject,
  context: RequestContext,
  { state, settings, clock, instanceId, sign }: InstanceKubeConfigOptions,
): Promise<string> {
  const now = clock.now();
  const key = requireRequestingKey(context, state, now, (detail) =>
    forbidden(groupResourceOf(virtualClusterInstanceKind), instance.metadata.name ?? '', detail),
  );
  const issuedAt = Math.floor(now / 1000);
  const seconds = numberAt(sent, 'spec', 'certificateTTL') ?? settings.gateway.defaultTokenTTL;
  const id = randomUUID();
  context.annotate?.(`${managementGroup}/gateway-token`, id);
  return await sign(
    gatewayTokenPayload({
      issuer: instanceId,
      subject: context.user.name,
      instance: instance.metadata.uid ?? '',
      accessKey: { name: key.name, uid: key.uid, mark: keyFingerprint(key) },
      scopes: requestingKeyScopes(context, state),
      issuedAt,
      expiresAt: tokenExpiry(context, key, issuedAt, seconds),
      id,
    }),
  );
}

function kubeconfigOf(name: string, server: string, authority: string | undefined, token: string): string {
  const data =
    authority === undefined ? {} : { 'certificate-authority-data': Buffer.from(authority).toString('base64') };
  return dump({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, ...data } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  });
}
