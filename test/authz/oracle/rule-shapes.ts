import type { JsonObject } from '@flotilla/json';
import { managementGroup, projectNamespace } from '../../../src/api/naming.ts';
import type { RequestedAction } from '../requested-action.ts';
import { matches, matchesEverything, type ScopePredicate } from './scope-predicates.ts';
import type { ScopeShape } from './scope-shapes.ts';

const reading = ['get', 'list', 'watch'];
const vci = 'virtualclusterinstances';
const ofManagement = (...resources: string[]) => [{ group: managementGroup, resources }];
const isPath: ScopePredicate = (ask: RequestedAction) => ask.path !== '';

/**
 * A user needs a separate permission to write some fields of a project. A rule that allows the write need not name the
 * field.
 */
const setsField: ScopePredicate = (ask) => ask.resource === 'projects' && ask.subresource.startsWith('spec.');

function shape(name: string, rules: readonly JsonObject[], covers: readonly ScopePredicate[]): ScopeShape {
  return { name, scope: { rules: [...rules] }, covers };
}

/** Deprecated rules, one for each member of a rule. A request passes if one rule matches. */
export const ruleShapes: readonly ScopeShape[] = [
  shape('rule-everything', [{ verbs: [] }], [matchesEverything]),
  // A rule with verbs only: it applies to kinds and paths.
  shape('rule-verbs', [{ verbs: reading }], [matches({ verbs: reading }), isPath]),
  shape(
    'rule-project',
    [{ resources: ofManagement(vci), namespaces: [projectNamespace('red')] }],
    [matches({ resources: [vci], projects: ['red'] })],
  ),
  shape(
    'rule-patching',
    [{ verbs: ['patch'], resources: ofManagement(vci, 'projects') }],
    [matches({ verbs: ['patch'], group: managementGroup, resources: [vci, 'projects'] }), setsField],
  ),
  shape(
    'rule-names',
    [
      {
        verbs: reading,
        resources: [{ group: managementGroup, resources: [vci], resourceNames: ['r-user', 'b-user'] }],
      },
    ],
    [matches({ verbs: reading, resources: [vci], names: ['r-user', 'b-user'] })],
  ),
  shape(
    'rule-names-of-all',
    [{ verbs: reading, resources: ofManagement('projects', 'clusters'), resourceNames: ['red', 'c-blue'] }],
    [
      matches({
        verbs: reading,
        group: managementGroup,
        resources: ['projects', 'clusters'],
        names: ['red', 'c-blue'],
      }),
    ],
  ),
  shape(
    'rule-subresources',
    [{ resources: ofManagement(`${vci}/*`) }],
    [
      matches({
        group: managementGroup,
        resources: ['status', 'usage', 'kubeconfig', 'log', 'credentials'].map(
          (subresource) => `${vci}/${subresource}`,
        ),
      }),
    ],
  ),
  shape(
    'rule-one-subresource',
    [{ verbs: ['get'], resources: ofManagement('projects/members') }],
    [matches({ verbs: ['get'], resources: ['projects/members'] })],
  ),
  shape(
    'rule-any-status',
    [{ verbs: ['get'], resources: ofManagement('*/status') }],
    [
      (ask) =>
        ask.group === managementGroup && ask.verb === 'get' && ask.subresource === 'status' && matchesEverything(ask),
    ],
  ),
  shape('rule-core-group', [{ verbs: reading, resources: [{ group: '' }] }], [matches({ verbs: reading, group: '' })]),
  shape(
    'rule-no-namespace',
    [{ verbs: reading, resources: ofManagement(), namespaces: [''] }],
    [(ask) => matches({ verbs: reading, group: managementGroup })(ask) && ask.project === ''],
  ),
  shape(
    'rule-paths',
    [{ verbs: ['get'], nonResourceURLs: ['/version', '/apis/*', '/metrics'] }],
    [(ask) => ask.path === '/version' || ask.path === '/metrics' || ask.path.startsWith('/apis/')],
  ),
  shape('rule-management', [{ requestTargets: ['Management'] }], [matchesEverything]),
  // These rules apply to clusters, virtual clusters and spaces, not to this API.
  shape('rule-other-target', [{ requestTargets: ['Cluster', 'ProjectVirtualCluster'] }], []),
  shape('rule-space-target', [{ requestTargets: ['ProjectSpace'] }], []),
  shape('rule-cluster', [{ cluster: 'c-red' }], []),
  shape(
    'rules-two',
    [
      { verbs: reading, resources: ofManagement('projects') },
      { verbs: ['create'], resources: ofManagement(vci), namespaces: [projectNamespace('red')] },
    ],
    [
      matches({ verbs: reading, group: managementGroup, resources: ['projects'] }),
      matches({ verbs: ['create'], resources: [vci], projects: ['red'] }),
    ],
  ),
];
