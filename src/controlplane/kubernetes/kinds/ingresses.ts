import { type JsonValue, listAt, textAt, valueAt } from '@flotilla/json';
import { ageColumn, column } from '../../../api/columns.ts';
import type { KubeObject } from '../../../api/meta.ts';
import type { KubernetesKind } from '../kubernetes-kind.ts';
import { rulesOf, statusRulesOf } from '../rules/kind-rules.ts';
import { textColumn } from './columns.ts';

const maxHosts = 3;

function hostsOf(object: KubeObject): string {
  const rules = listAt(object as JsonValue, 'spec', 'rules');
  const hosts = rules.map((rule) => textAt(rule, 'host')).filter((host) => host !== '');
  const listed = hosts.slice(0, maxHosts).join(',') || '*';
  // As in Kubernetes, the number of further hosts also counts rules without a host. It is shown only if a rule follows
  // the last listed host.
  const last = rules.indexOf(rules.filter((rule) => textAt(rule, 'host') !== '')[maxHosts - 1] ?? null);
  return last >= 0 && last < rules.length - 1 ? `${listed} + ${rules.length - maxHosts} more...` : listed;
}

function addressOf(object: KubeObject): string {
  const points = listAt(object as JsonValue, 'status', 'loadBalancer', 'ingress');
  const addresses = points.map((point) => textAt(point, 'ip') || textAt(point, 'hostname'));
  return [...new Set(addresses.filter((address) => address !== ''))].toSorted().join(',');
}

const classAnnotation = 'kubernetes.io/ingress.class';

/** Warns about a new ingress that names its class in an annotation only. */
function warningsOf(object: KubeObject, old: KubeObject | undefined): string[] {
  const isNamed = valueAt(object as JsonValue, 'spec', 'ingressClassName') !== undefined;
  const isAnnotated = object.metadata.annotations?.[classAnnotation] !== undefined;
  if (old !== undefined || isNamed || !isAnnotated) return [];
  return [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`];
}

/** Ingresses of networking.k8s.io/v1. No component routes requests to them on the built-in cluster. */
export const ingress: KubernetesKind = {
  ...rulesOf('networking.Ingress'),
  group: 'networking.k8s.io',
  plural: 'ingresses',
  shortNames: ['ing'],
  namespaced: true,
  description: 'Rules that route HTTP requests from outside to services.',
  generation: { first: 1, increasedBy: 'spec' },
  unconditionalUpdate: true,
  status: { keeps: [], ...statusRulesOf('networking.Ingress') },
  warnings: warningsOf,
  columns: [
    textColumn('Class', 'spec.ingressClassName', { description: 'The class of the ingress.', absent: '<none>' }),
    column('Hosts', hostsOf, { description: 'The hosts of the rules.' }),
    column('Address', addressOf, { description: 'The addresses of the load balancer.' }),
    column('Ports', (object) => (listAt(object as JsonValue, 'spec', 'tls').length > 0 ? '80, 443' : '80'), {
      description: 'The ports that are open.',
    }),
    ageColumn,
  ],
};
