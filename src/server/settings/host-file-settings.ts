import type { JsonObject } from '@flotilla/json';
import {
  type HostIsolation,
  hostIsolationErrors,
  podSecurityLevels,
  type Quantities,
  rangeProblem,
} from '../../api/management/host-isolation/host-isolation.ts';
import { cidrProblem } from '../../lib/outgoing-addresses.ts';
import { defaultManagementSettings } from '../../management/settings.ts';
import { booleanSetting, type FileSetting, textListSetting } from './setting-group.ts';
import type { SettingsReader } from './settings-reader.ts';

/** The settings of the group `hosts`, which protect hosts from the tenants on them. */
export const hostFileSettings = {
  allowedValues: textListSetting({
    takes: 'a list of paths; `*` matches any one member',
    default: defaultManagementSettings.hosts.allowedValues,
    meaning:
      'the chart values that templates may set if their author does not have the permission `hostaccess`; a path includes everything below it',
    validate: (path) => (valuePath.test(path) ? undefined : 'is not a path such as controlPlane.statefulSet.resources'),
  }),
  allowedResources: textListSetting({
    takes: 'a list of resources: `plural` or `plural.group`',
    default: defaultManagementSettings.hosts.allowedResources,
    meaning:
      'the resources that templates may apply in host namespaces (`spaceTemplate.objects`); on Kubernetes hosts they are applied as a service account of the namespace that has permissions for exactly these resources',
    validate: (name) => (resourceName.test(name) ? undefined : 'is not a resource such as deployments.apps'),
  }),
  deniedCIDRs: textListSetting({
    takes: 'a list of ranges: `address/length`',
    default: defaultManagementSettings.hosts.deniedCIDRs,
    meaning:
      'address ranges of clusters to which the server does not connect; it rejects kubeconfigs with an address in these ranges, and checks names each time it resolves them; agents are exempt',
    validate: cidrProblem,
  }),
  allowPlainHttp: booleanSetting({
    default: defaultManagementSettings.hosts.allowPlainHttp,
    meaning: 'accept kubeconfigs whose server is an `http://` address; credentials then travel in plain text',
  }),
  isolation: {
    takes: 'a map with the fields of `spec.hostIsolation` of clusters and projects',
    default: defaultManagementSettings.hosts.isolation,
    describedDefault:
      'the isolation in [Protect host clusters](../guides/hosts.md#isolate-the-namespaces-of-tenants); none if the installation was created by a version without this default',
    meaning:
      'protection of all host namespaces: `podSecurity`, `isolateNetwork`, `deniedEgressCIDRs`, `resourceQuota`, `limitRange`; a field replaces its default, and applies where neither the cluster nor the project sets it',
    read: (group, name) => readIsolation(group.group(name)),
  } satisfies FileSetting<HostIsolation>,
};

function readIsolation(settings: SettingsReader): HostIsolation {
  const limits = settings.group('limitRange');
  const limitRange = withoutUndefined({
    default: quantitiesIn(limits, 'default'),
    defaultRequest: quantitiesIn(limits, 'defaultRequest'),
    max: quantitiesIn(limits, 'max'),
  });
  limits.finish();
  const denied = settings.texts('deniedEgressCIDRs', rangeProblem);
  const isolation = withoutUndefined({
    podSecurity: settings.choice('podSecurity', podSecurityLevels),
    isolateNetwork: settings.flag('isolateNetwork'),
    deniedEgressCIDRs: denied && [...denied],
    resourceQuota: quantitiesIn(settings, 'resourceQuota'),
    limitRange: Object.keys(limitRange).length === 0 ? undefined : limitRange,
  });
  settings.finish();
  return isolation;
}

function quantitiesIn(settings: SettingsReader, name: string): Quantities | undefined {
  const problem = (map: JsonObject): string | undefined => {
    const wrong = Object.entries(map).find(([, value]) => typeof value !== 'string' && typeof value !== 'number');
    if (wrong !== undefined)
      return `must be a map of quantities; the value of ${JSON.stringify(wrong[0])} is not a quantity`;
    const [first] = hostIsolationErrors({ resourceQuota: map as Quantities }, '');
    return first && `contains a quantity that is invalid: ${first.message}`;
  };
  return settings.map(name, problem) as Quantities | undefined;
}

type Defined<T> = { [Member in keyof T]?: Exclude<T[Member], undefined> };

function withoutUndefined<T extends object>(members: T): Defined<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;
}

const resourceName = /^[a-z0-9-]+(\.[a-z0-9-]+)*$/;

const valuePath = /^[\w*-]+(\.[\w*-]+)*$/;
