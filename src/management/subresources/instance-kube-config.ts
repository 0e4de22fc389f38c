import { randomUUID } from 'node:crypto';
import { type JsonObject, writeJson } from '@flotilla/json';
import { dump } from 'js-yaml';
import { type FieldError, invalid, tooLong } from '../../api/field-error.ts';
import type { Scope } from '../../api/management/v1/scope.ts';
import { spaceInstanceKind } from '../../api/management/v1/space-instance.ts';
import { spaceInstanceKubeConfigKind } from '../../api/management/v1/subresources/space-instance-kube-config.ts';
import {
  type VirtualClusterInstanceKubeConfig,
  virtualClusterInstanceKubeConfigKind,
} from '../../api/management/v1/subresources/virtual-cluster-instance-kube-config.ts';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import { managementGroup, projectOfNamespace } from '../../api/naming.ts';
import { groupResourceOf, type ResourceKind } from '../../api/resource.ts';
import { forbidden, invalidObject, notFound, notImplemented, type StatusError } from '../../api/status.ts';
import { gatewayTokenPayload } from '../../auth/gateway-token.ts';
import { keyFingerprint } from '../../auth/key-state.ts';
import { withoutTrailingSlashes } from '../../lib/without-trailing-slashes.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { MountedSubresource } from '../../registry/mounted-resource.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import { computedObject } from './computed-object.ts';
import { type RequestBody, readRequestBody } from './request-body.ts';
import { requestingKeyScopes, requireRequestingKey, tokenExpiry } from './requesting-key.ts';

/** The address at which clients reach this server. */
export interface ServerAddress {
  /** The URL with the API prefix and without a trailing slash: `https://127.0.0.1:8443/kubernetes`. */
  readonly root: string;
  /**
   * PEM-encoded CA certificate of this server. `undefined` if the operating systems of clients already trust the
   * server.
   */
  readonly authority: string | undefined;
}

export interface InstanceKubeConfigOptions extends Pick<ManagementDependencies, 'state' | 'settings' | 'clock'> {
  /** The unique ID of this installation, which is the issuer of the tokens. */
  readonly instanceId: string;
  /** Signs the claims of a token and returns the token. */
  sign(claims: JsonObject): Promise<string>;
  address(): ServerAddress;
  /** True if this server can forward requests to virtual clusters and spaces on the cluster with this name. */
  hasGateway(cluster: string): boolean;
}

type KubeConfigSpec = NonNullable<VirtualClusterInstanceKubeConfig['spec']>;

/** The instances of one kind, for which the server issues kubeconfigs. */
interface ConfigurableKind {
  readonly kind: ResourceKind<VirtualClusterInstanceKubeConfig>;
  readonly instanceKind: ResourceKind;
  /** The path segment in `/<api_prefix>/project/<project>/<segment>/<name>`. */
  readonly pathSegment: string;
  find(state: InstanceKubeConfigOptions['state'], namespace: string, name: string): ConfigurableInstance | undefined;
}

interface ConfigurableInstance {
  readonly uid: string;
  readonly cluster: string;
  /** The namespace of the kubeconfig's context; empty for the default namespace. */
  readonly namespace: string;
}

const virtualClusters: ConfigurableKind = {
  kind: virtualClusterInstanceKubeConfigKind,
  instanceKind: virtualClusterInstanceKind,
  pathSegment: 'virtualcluster',
  find(state, inNamespace, name) {
    const found = state.instance(inNamespace, name);
    const cluster = found?.spec?.clusterRef?.cluster ?? '';
    return found && { uid: found.metadata.uid ?? '', cluster, namespace: '' };
  },
};

const spaces: ConfigurableKind = {
  kind: spaceInstanceKubeConfigKind,
  instanceKind: spaceInstanceKind,
  pathSegment: 'space',
  find(state, inNamespace, name) {
    const found = state.space(inNamespace, name);
    const { cluster = '', namespace = '' } = found?.spec?.clusterRef ?? {};
    return found && { uid: found.metadata.uid ?? '', cluster, namespace };
  },
};

/**
 * Maximum size of the scopes in a token, in bytes of JSON. It is limited because a token must fit into a request
 * header.
 */
const maxScopeBytes = 8 * 1024;

/** Maximum length of a server address. Writing a longer address as YAML would take most of the time of the request. */
const maxServerLength = 2_048;

/** POST `kubeconfig` of a virtual cluster: returns a kubeconfig with a gateway token. Stores nothing. */
export function instanceKubeConfig(options: InstanceKubeConfigOptions): MountedSubresource {
  return kubeConfigOf(virtualClusters, options);
}

/** POST `kubeconfig` of a space. The context of the kubeconfig has the namespace of the space. */
export function spaceKubeConfig(options: InstanceKubeConfigOptions): MountedSubresource {
  return kubeConfigOf(spaces, options);
}

function kubeConfigOf(configurable: ConfigurableKind, options: InstanceKubeConfigOptions): MountedSubresource {
  const { kind, instanceKind, pathSegment } = configurable;
  return {
    kind,
    verbs: {
      async createNamed(context, name, sent, { dryRun }) {
        const project = projectOfNamespace(context.namespace);
        const instance = configurable.find(options.state, context.namespace, name);
        if (project === undefined || instance === undefined) throw notFound(groupResourceOf(instanceKind), name);
        const scopes = requestingKeyScopes(context, options.state);
        const request = readRequestBody(kind, sent);
        const { spec = {} } = request.body;
        throwIfInvalid({ kind, name }, request, scopes, options);
        const { cluster, namespace } = instance;
        if (cluster !== '' && !options.hasGateway(cluster)) {
          throw notImplemented(`this server has no gateway to the cluster ${cluster}`);
        }
        throwIfNoEndpoint({ kind, name }, cluster, spec, options);
        const noKeyError = (detail: string) => forbidden(groupResourceOf(instanceKind), name, detail);
        const token = await tokenFor(instance.uid, spec, context, { ...options, noKeyError });
        const { root, authority } = addressFor(cluster, spec.via, options);
        const path = `/project/${project}/${pathSegment}/${name}`;
        const server = serverOf(spec.server ?? '', root, path);
        const kubeConfig = writeKubeconfig(`${project}/${name}`, { server, authority, token, namespace });
        return computedObject(
          kind,
          { ...sent.metadata, name, namespace: context.namespace },
          { spec, ...(dryRun ? {} : { status: { kubeConfig } }) },
        );
      },
    },
  };
}

function throwIfInvalid(
  { kind, name }: { readonly kind: ResourceKind; readonly name: string },
  { body, errors: schemaErrors }: RequestBody<VirtualClusterInstanceKubeConfig>,
  scopes: readonly Scope[],
  { settings }: InstanceKubeConfigOptions,
): void {
  const { server = '' } = body.spec ?? {};
  const ttl = ttlIn(body.spec);
  const { maxTokenTTL } = settings.gateway;
  const ttlPath = 'spec.certificateTTL';
  const isTooLong = Buffer.byteLength(writeJson([...scopes])) > maxScopeBytes;
  const errors: FieldError[] = [
    ...schemaErrors,
    ...(ttl !== undefined && ttl <= 0 ? [invalid(ttlPath, ttl, 'must be greater than 0')] : []),
    ...(ttl !== undefined && ttl > maxTokenTTL
      ? [invalid(ttlPath, ttl, `must be less than or equal to ${maxTokenTTL}, the maximum of this server`)]
      : []),
    ...serverErrors(server),
    ...(isTooLong ? [tooLong('scope', maxScopeBytes)] : []),
  ];
  // Only the first error of each field is reported, so a value that is not a number gets no second error about its
  // size.
  const distinct = errors.filter(({ field }, index) => errors.findIndex((other) => other.field === field) === index);
  if (distinct.length > 0) throw invalidObject(kind, name, distinct);
}

/**
 * Returns the requested lifetime in seconds. The JSON parser returns integers beyond 2^53 as bigint, so the value is
 * converted.
 */
function ttlIn({ certificateTTL: ttl }: KubeConfigSpec = {}): number | undefined {
  return ttl === undefined ? undefined : Number(ttl);
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

/** Rejects a request for the direct endpoint of a cluster that has none. */
function throwIfNoEndpoint(
  { kind, name }: { readonly kind: ResourceKind; readonly name: string },
  cluster: string,
  { via }: KubeConfigSpec,
  { state }: InstanceKubeConfigOptions,
): void {
  if (via !== 'direct' || directEndpointOf(cluster, state).host !== '') return;
  const message = `the cluster ${JSON.stringify(cluster)} has no direct endpoint; use gateway or auto`;
  throw invalidObject(kind, name, [invalid('spec.via', 'direct', message)]);
}

/** Returns the direct endpoint of a cluster, with an empty host if it has none. */
function directEndpointOf(cluster: string, state: InstanceKubeConfigOptions['state']) {
  const { host = '', caData: authority = '' } = state.cluster(cluster)?.spec?.directEndpoint ?? {};
  return { host: withoutTrailingSlashes(host), authority };
}

/** Returns the address for the kubeconfig: the direct endpoint of the cluster, or this server. */
function addressFor(
  cluster: string,
  via: KubeConfigSpec['via'],
  { state, address }: InstanceKubeConfigOptions,
): ServerAddress {
  const serverAddress = address();
  const { host, authority } = directEndpointOf(cluster, state);
  if (host === '' || via === 'gateway') return serverAddress;
  const prefix = serverAddress.root.slice(serverAddress.root.lastIndexOf('/'));
  return {
    root: `${host.includes('://') ? host : `https://${host}`}${prefix}`,
    authority: authority === '' ? undefined : authority,
  };
}

/**
 * Returns the server URL of the kubeconfig. If the requested URL has no path, it is regarded as another address of this
 * server, and the path is appended.
 */
function serverOf(requested: string, root: string, path: string): string {
  if (requested === '') return `${root}${path}`;
  const trimmed = withoutTrailingSlashes(requested);
  return new URL(requested).pathname === '/' ? `${trimmed}${new URL(root).pathname}${path}` : trimmed;
}

interface TokenOptions extends InstanceKubeConfigOptions {
  /** Returns the error for a request without an access key. */
  noKeyError(detail: string): StatusError;
}

async function tokenFor(
  instance: string,
  spec: KubeConfigSpec,
  context: RequestContext,
  { state, settings, clock, instanceId, sign, noKeyError }: TokenOptions,
): Promise<string> {
  const now = clock.now();
  const key = requireRequestingKey(context, state, now, noKeyError);
  const issuedAt = Math.floor(now / 1000);
  const seconds = ttlIn(spec) ?? settings.gateway.defaultTokenTTL;
  const id = randomUUID();
  context.annotate?.(`${managementGroup}/gateway-token`, id);
  return await sign(
    gatewayTokenPayload({
      issuer: instanceId,
      subject: context.user.name,
      instance,
      accessKey: { name: key.name, uid: key.uid, mark: keyFingerprint(key) },
      scopes: requestingKeyScopes(context, state),
      issuedAt,
      expiresAt: tokenExpiry(context, key, issuedAt, seconds),
      id,
    }),
  );
}

interface KubeconfigParts {
  readonly server: string;
  readonly authority: string | undefined;
  readonly token: string;
  readonly namespace: string;
}

function writeKubeconfig(name: string, { server, authority, token, namespace }: KubeconfigParts): string {
  const data =
    authority === undefined ? {} : { 'certificate-authority-data': Buffer.from(authority).toString('base64') };
  return dump({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, ...data } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name, ...(namespace === '' ? {} : { namespace }) } }],
    'current-context': name,
  });
}
