import { maskIp, parseIp, parseQuantity, QuantityError } from '@flotilla/kubernetes-formats';
import { type FieldError, invalid } from '../../field-error.ts';
import { childPath, indexPath, keyPath } from '../../schema/field-path.ts';
import { type Static, t } from '../../schema/schema-builder.ts';

/** The Pod Security levels of Kubernetes, from the most lenient to the strictest. */
export const podSecurityLevels = ['privileged', 'baseline', 'restricted'] as const;
export type PodSecurityLevel = (typeof podSecurityLevels)[number];

/** The Pod Security level of clusters that set none. The control plane of vCluster can run at this level. */
export const defaultPodSecurity: PodSecurityLevel = 'baseline';

const maxEntries = 100;
const quantityMap = (description: string) => t.map(t.intOrString(), { description, maxProperties: maxEntries });
const quantities = (description: string) => t.optional(quantityMap(description));

export const resourceQuotaSchema = quantityMap(
  'Hard limits of the ResourceQuota in each host namespace, such as pods: 50.',
);

export const limitRangeSchema = t.object(
  {
    default: quantities('Limits of containers that set none.'),
    defaultRequest: quantities('Requests of containers that set none.'),
    max: quantities('Maximum limits of a container.'),
  },
  { description: 'Limits of the LimitRange for containers in each host namespace.' },
);

/** Schema of `spec.hostIsolation`. `scope` names the host namespaces that it applies to. */
export const hostIsolationSchema = (scope: string) =>
  t.object(
    {
      podSecurity: t.optional(
        t.enumOf(podSecurityLevels, {
          description: `Pod Security level that host namespaces enforce: privileged, baseline or restricted. Clusters default to ${defaultPodSecurity}.`,
        }),
      ),
      isolateNetwork: t.optional(
        t.boolean({
          description:
            'If true, pods accept connections only from their own namespace and from namespaces with the label for tenant access. The API of the virtual cluster accepts all connections.',
        }),
      ),
      deniedEgressCIDRs: t.optional(
        t.array(t.string(), {
          description:
            'Address ranges to which pods cannot connect, such as 10.0.0.0/8. If not empty, pods can connect only to their own namespace, to DNS, and to addresses outside of these ranges. The control plane of the virtual cluster is not restricted.',
          maxItems: maxEntries,
        }),
      ),
      resourceQuota: t.optional(resourceQuotaSchema),
      limitRange: t.optional(limitRangeSchema),
    },
    { description: `Protection of ${scope} that run virtual clusters or are spaces.` },
  );

export type HostIsolation = Static<ReturnType<typeof hostIsolationSchema>>;
export type Quantities = NonNullable<HostIsolation['resourceQuota']>;

/** Returns the stricter of two levels. */
export function stricterLevel(one: PodSecurityLevel, other: PodSecurityLevel): PodSecurityLevel {
  return podSecurityLevels.indexOf(one) >= podSecurityLevels.indexOf(other) ? one : other;
}

/**
 * Returns the isolation of a host namespace. Each setting has the stricter value of cluster and project, except that
 * container defaults of the project replace those of the cluster. `defaults` applies to each setting that neither of
 * the two sets. The Pod Security level of `defaults` applies if the cluster sets none.
 */
export function effectiveIsolation(
  cluster: HostIsolation = {},
  ofProject: HostIsolation = {},
  defaults: HostIsolation = {},
): HostIsolation {
  const ofCluster = withDefaults(cluster, ofProject, defaults);
  const limits = {
    default: { ...ofCluster.limitRange?.default, ...ofProject.limitRange?.default },
    defaultRequest: { ...ofCluster.limitRange?.defaultRequest, ...ofProject.limitRange?.defaultRequest },
    max: smallest(ofCluster.limitRange?.max, ofProject.limitRange?.max),
  };
  const limitRange = Object.fromEntries(
    Object.entries(limits).filter(([, entries]) => Object.keys(entries).length > 0),
  );
  const resourceQuota = smallest(ofCluster.resourceQuota, ofProject.resourceQuota);
  const deniedEgressCIDRs = [
    ...new Set([...(ofCluster.deniedEgressCIDRs ?? []), ...(ofProject.deniedEgressCIDRs ?? [])]),
  ];
  return {
    podSecurity: stricterLevel(
      ofCluster.podSecurity ?? defaultPodSecurity,
      ofProject.podSecurity ?? podSecurityLevels[0],
    ),
    ...(ofCluster.isolateNetwork === true || ofProject.isolateNetwork === true ? { isolateNetwork: true } : {}),
    ...(deniedEgressCIDRs.length === 0 ? {} : { deniedEgressCIDRs }),
    ...(Object.keys(resourceQuota).length === 0 ? {} : { resourceQuota }),
    ...(Object.keys(limitRange).length === 0 ? {} : { limitRange }),
  };
}

/**
 * Returns the settings of the cluster, plus the defaults of all settings that neither the cluster nor the project sets.
 */
function withDefaults(ofCluster: HostIsolation, ofProject: HostIsolation, defaults: HostIsolation): HostIsolation {
  // Ignore the project's level here. A project cannot lower the level, so its level must not replace the default.
  const { podSecurity: _level, ...project } = ofProject;
  const { limitRange: _limits, ...unset } = withoutMembersOf(defaults, ofCluster, project);
  const limits = [defaults, ofCluster, ofProject].map(({ limitRange = {} }) => limitRange);
  const unsetLimits = withoutMembersOf(limits[0] ?? {}, ...limits.slice(1));
  return { ...unset, ...ofCluster, limitRange: { ...unsetLimits, ...ofCluster.limitRange } };
}

/** Returns the members of `defaults` that are not set in any of `others`. */
function withoutMembersOf<T extends object>(defaults: T, ...others: readonly T[]): Partial<T> {
  const isSet = (name: string) => others.some((other) => (other as Record<string, unknown>)[name] !== undefined);
  return Object.fromEntries(Object.entries(defaults).filter(([name]) => !isSet(name))) as Partial<T>;
}

function smallest(one: Quantities = {}, other: Quantities = {}): Quantities {
  const result: Quantities = { ...one };
  for (const [name, quantity] of Object.entries(other)) {
    const current = result[name];
    if (current === undefined || amount(quantity) < amount(current)) result[name] = quantity;
  }
  return result;
}

function amount(quantity: string | number): bigint {
  return parseQuantity(String(quantity)).billionths;
}

/** Returns the errors in a host isolation that the schema cannot detect. */
export function hostIsolationErrors(isolation: HostIsolation = {}, field: string): FieldError[] {
  const { resourceQuota, limitRange = {}, deniedEgressCIDRs = [] } = isolation;
  return [
    ...deniedEgressCIDRs.flatMap((range, index) => {
      const problem = rangeProblem(range);
      return problem === undefined
        ? []
        : [invalid(indexPath(childPath(field, 'deniedEgressCIDRs'), index), range, problem)];
    }),
    ...quantityErrors(resourceQuota, childPath(field, 'resourceQuota')),
    ...Object.entries(limitRange).flatMap(([name, entries]) =>
      quantityErrors(entries, childPath(field, `limitRange.${name}`)),
    ),
  ];
}

function quantityErrors(quantities: Quantities = {}, field: string): FieldError[] {
  return Object.entries(quantities).flatMap(([name, quantity]) => {
    const path = keyPath(field, name);
    try {
      return amount(quantity) < 0n ? [invalid(path, quantity, 'must be greater than or equal to 0')] : [];
    } catch (error) {
      if (!(error instanceof QuantityError)) throw error;
      return [invalid(path, quantity, error.message)];
    }
  });
}

/**
 * Returns the reason why a text is not a valid address range for network policies, worded as the end of a sentence;
 * `undefined` if it is valid.
 */
export function rangeProblem(text: string): string | undefined {
  const [, written = '', length = ''] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const address = parseIp(written);
  if ('fault' in address || Number(length) > address.bits) return 'must be an address range such as 10.0.0.0/8';
  const isFirst = maskIp(address, Number(length)).value === address.value;
  return isFirst ? undefined : 'must begin with the first address of the range, such as 10.0.0.0/8';
}
