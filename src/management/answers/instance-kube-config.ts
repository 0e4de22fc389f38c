import { randomUUID } from 'node:crypto';
import { dump } from 'js-yaml';
import { type FieldError, invalid, tooLong } from '../../api/field-error.ts';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import { virtualClusterInstanceKubeConfigKind } from '../../api/management/v1/virtual-cluster-instance-kube-config.ts';
import type { KubeObject } from '../../api/meta.ts';
import { managementGroup, projectOfNamespace } from '../../api/naming.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { validateSchema } from '../../api/schema/validate.ts';
import { forbidden, invalidObject, notFound, notImplemented } from '../../api/status.ts';
import { gatewayTokenPayload } from '../../auth/gateway-token.ts';
import { keyMark } from '../../auth/key-state.ts';
import { numberAt, objectAt, textAt } from '../../lib/json-path.ts';
import type { JsonObject } from '../../lib/json-value.ts';
import { writeJson } from '../../lib/json-write.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { MountedSubresource } from '../../registry/mounted-resource.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import { answerOf } from './served-answer.ts';
import { askingKey, askingScopes, tokenEnd } from './token-key.ts';

/** Where clients find this server. */
export interface ServerAddress {
  /** With the prefix of the API, without a slash at the end: `https://127.0.0.1:8443/kubernetes`. */
  readonly root: string;
  /** PEM; undefined: clients trust it by their operating system. */
  readonly authority: string | undefined;
}

export interface InstanceKubeConfigOptions extends Pick<ManagementDependencies, 'state' | 'settings' | 'clock'> {
  /** Whose tokens they are. */
  readonly instanceId: string;
  /** Signs what a token says. */
  sign(claims: JsonObject): Promise<string>;
  address(): ServerAddress;
  /** Whether this server leads people into the virtual clusters of that cluster. */
  hasGateway(cluster: string): boolean;
}

const kind = virtualClusterInstanceKubeConfigKind;

/** The scopes as they are written: a token has to fit into a header. */
const mostScopeBytes = 8 * 1024;

/** POST `kubeconfig`: a kubeconfig with a token for this instance, made for this answer and kept nowhere. */
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
        const scopes = askingScopes(context, options.state);
        refuse(name, sent, scopes, options);
        const cluster = textAt(instance, 'spec', 'clusterRef', 'cluster');
        if (cluster !== '' && !options.hasGateway(cluster)) {
          throw notImplemented(`this server has no gateway to the virtual clusters of the cluster ${cluster}`);
        }
        const token = await tokenFor(instance, sent, scopes, context, options);
        const { root, authority } = addressFor(cluster, options);
        const server = serverOf(textAt(sent, 'spec', 'server'), root, project, name);
        const kubeConfig = kubeconfigOf(`${project}/${name}`, server, authority, token);
        return answerOf(
          kind,
          { ...sent.metadata, name, namespace: context.namespace },
          { spec: objectAt(sent, 'spec') ?? {}, ...(dryRun ? {} : { status: { kubeConfig } }) },
        );
      },
    },
  };
}

function refuse(
  name: string,
  sent: KubeObject,
  scopes: readonly JsonObject[],
  { settings }: InstanceKubeConfigOptions,
): void {
  const ttl = numberAt(sent, 'spec', 'certificateTTL');
  const { maxTokenTTL } = settings.gateway;
  const ttlPath = 'spec.certificateTTL';
  const server = textAt(sent, 'spec', 'server');
  const isLong = Buffer.byteLength(writeJson([...scopes])) > mostScopeBytes;
  const errors: FieldError[] = [
    ...validateSchema(kind.schema, sent, ''),
    ...(ttl !== undefined && ttl <= 0 ? [invalid(ttlPath, ttl, 'must be greater than 0')] : []),
    ...(ttl !== undefined && ttl > maxTokenTTL
      ? [invalid(ttlPath, ttl, `must be less than or equal to ${maxTokenTTL}, the maximum of this server`)]
      : []),
    ...(server === '' || isServer(server)
      ? []
      : [invalid('spec.server', server, 'must be an https URL without user, query and fragment')]),
    ...(isLong ? [tooLong('scope', mostScopeBytes)] : []),
  ];
  // What is no number is not too large a one besides: each field is told once.
  const distinct = errors.filter(({ field }, index) => errors.findIndex((other) => other.field === field) === index);
  if (distinct.length > 0) throw invalidObject(kind, name, distinct);
}

function isServer(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return (
    url?.protocol === 'https:' && url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  );
}

/** The cluster's own endpoint, which goes on without this server, where it has one. */
function addressFor(cluster: string, { state, address }: InstanceKubeConfigOptions): ServerAddress {
  const centre = address();
  const endpoint = objectAt(state.cluster(cluster), 'spec', 'directEndpoint');
  const host = textAt(endpoint, 'host').replace(/\/+$/, '');
  if (host === '') return centre;
  const prefix = centre.root.slice(centre.root.lastIndexOf('/'));
  const authority = textAt(endpoint, 'caData');
  return {
    root: `${host.includes('://') ? host : `https://${host}`}${prefix}`,
    authority: authority === '' ? undefined : authority,
  };
}

/** An address without a path stands for this server under another name. */
function serverOf(given: string, root: string, project: string, name: string): string {
  const path = `/project/${project}/virtualcluster/${name}`;
  if (given === '') return `${root}${path}`;
  const trimmed = given.replace(/\/+$/, '');
  return new URL(given).pathname === '/' ? `${trimmed}${new URL(root).pathname}${path}` : trimmed;
}

async function tokenFor(
  instance: KubeObject,
  sent: KubeObject,
  scopes: readonly JsonObject[],
  context: RequestContext,
  { state, settings, clock, instanceId, sign }: InstanceKubeConfigOptions,
): Promise<string> {
  const now = clock.now();
  const key = askingKey(context, state, now, (detail) =>
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
      accessKey: { name: key.name, uid: key.uid, mark: keyMark(key) },
      scopes,
      issuedAt,
      expiresAt: tokenEnd(context, key, issuedAt, seconds),
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
