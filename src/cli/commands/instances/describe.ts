import type { KubeObject } from '../../../api/meta.ts';
import { projectNamespace } from '../../../api/naming.ts';
import { StatusError } from '../../../api/status.ts';
import { listAt, numberAt, objectAt, textAt, textsAt } from '../../../lib/json-path.ts';
import type { JsonValue } from '../../../lib/json-value.ts';
import type { CommandCall } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { getObject } from '../../connection/objects.ts';
import { type ServerApi, withServer } from '../../connection/server-api.ts';
import { virtualClusters } from '../../kinds.ts';
import { type Colors, phaseColor } from '../../output/colors.ts';
import { escapeControls } from '../../output/escape-controls.ts';

/** Shows everything that helps to find out why a virtual cluster does not work. */
export const run: CommandRun = async (call) =>
  await withServer(call, async (api) => {
    const name = call.values.argument('name');
    const where = { project: api.access.project, signal: call.interrupted };
    const instance = await getObject(api, virtualClusters, where, name);
    const events = await eventsOf(api, instance, call);
    call.terminal.print(
      `${[...summary(instance, call), ...conditions(instance, call), ...eventLines(events)].join('\n')}\n`,
    );
    return undefined;
  });

function summary(instance: KubeObject, { terminal: { colors } }: CommandCall): string[] {
  const spec = (...path: string[]) => textAt(instance, 'spec', ...path);
  const status = (...path: string[]) => textAt(instance, 'status', ...path);
  const phase = status('phase') || 'New';
  const version = spec('templateRef', 'version');
  const lines: [string, string][] = [
    ['Name', instance.metadata.name ?? ''],
    ['Project', projectOf(instance)],
    ['Display name', spec('displayName')],
    ['Description', spec('description')],
    ['Status', phaseColor(colors, phase)(phase)],
    ['Message', status('message')],
    ['Version', status('kubernetesVersion')],
    ['Owner', spec('owner', 'user') || (spec('owner', 'team') && `team ${spec('owner', 'team')}`)],
    ['Template', template(instance) + (version === '' ? '' : `@${version}`)],
    ['Cluster', spec('clusterRef', 'cluster')],
    ['Location', [spec('clusterRef', 'namespace'), spec('clusterRef', 'virtualCluster')].filter(Boolean).join('/')],
    ['Created', instance.metadata.creationTimestamp ?? ''],
    ['Deleted', instance.metadata.deletionTimestamp ?? ''],
    ['Annotations', pairs(objectAt(instance, 'metadata', 'annotations'))],
    ['Labels', pairs(objectAt(instance, 'metadata', 'labels'))],
    ['Parameters', spec('parameters').trim()],
    ['Shared with', listAt(instance, 'spec', 'access').map(grantText).join('\n')],
    ['Cluster roles', listAt(instance, 'spec', 'extraAccessRules').map(grantText).join('\n')],
  ];
  return lines
    .filter(([, value]) => value !== '')
    .map(
      ([title, value]) =>
        `${`${title}:`.padEnd(15)}${(title === 'Status' ? value : escapeControls(value)).replaceAll('\n', `\n${' '.repeat(15)}`)}`,
    );
}

function projectOf({ metadata }: KubeObject): string {
  return (metadata.namespace ?? '').slice(projectNamespace('').length);
}

function template(instance: KubeObject): string {
  return objectAt(instance, 'spec', 'template') === undefined
    ? textAt(instance, 'spec', 'templateRef', 'name')
    : '<inline>';
}

function pairs(map: Record<string, JsonValue> | undefined): string {
  return Object.entries(map ?? {})
    .filter(([name]) => !name.startsWith('kubectl.kubernetes.io/'))
    .map(([name, value]) => `${name}=${String(value)}`)
    .join('\n');
}

function grantText(entry: JsonValue): string {
  const names = [...textsAt(entry, 'users'), ...textsAt(entry, 'teams').map((team) => `team ${team}`)].join(', ');
  return `${names}: ${textAt(entry, 'clusterRole') || textsAt(entry, 'verbs').join(', ')}`;
}

function conditions(instance: KubeObject, { terminal: { colors } }: CommandCall): string[] {
  const all = listAt(instance, 'status', 'conditions');
  if (all.length === 0) return [];
  const longest = Math.max(...all.map((condition) => textAt(condition, 'type').length));
  return ['Conditions:', ...all.map((condition) => conditionLine(condition, longest, colors))];
}

function conditionLine(condition: JsonValue, longest: number, colours: Colors): string {
  const status = textAt(condition, 'status');
  const type = textAt(condition, 'type').padEnd(longest);
  const mark = status === 'True' ? colours.good(status.padEnd(8)) : colours.bad(status.padEnd(8));
  const text = [textAt(condition, 'reason'), textAt(condition, 'message')].filter(Boolean).join(': ');
  return `  ${type}  ${mark} ${escapeControls(text)}`.trimEnd();
}

/** Returns no events if the caller may not read them, so that the rest is still shown. */
async function eventsOf(api: ServerApi, { metadata }: KubeObject, call: CommandCall): Promise<readonly JsonValue[]> {
  const { apiPrefix, project } = api.access;
  const path = `/${apiPrefix}/management/api/v1/namespaces/${encodeURIComponent(projectNamespace(project))}/events`;
  const query = { fieldSelector: `involvedObject.name=${metadata.name},involvedObject.kind=${virtualClusters.kind}` };
  const list = await api.json({ path, query, signal: call.interrupted }).catch((error: unknown) => {
    if (error instanceof StatusError && error.code === 403) return {};
    throw error;
  });
  return listAt(list, 'items').filter((event) => textAt(event, 'involvedObject', 'uid') === metadata.uid);
}

function eventLines(events: readonly JsonValue[]): string[] {
  if (events.length === 0) return [];
  const when = (event: JsonValue) =>
    textAt(event, 'lastTimestamp') || textAt(event, 'eventTime') || textAt(event, 'metadata', 'creationTimestamp');
  const sorted = [...events].sort((a, b) => when(a).localeCompare(when(b)));
  return [
    'Events:',
    ...sorted.map((event) => {
      const count = numberAt(event, 'count') ?? 1;
      const times = count > 1 ? ` (${count} times)` : '';
      return `  ${when(event).slice(0, 19)}Z  ${textAt(event, 'type')}  ${textAt(event, 'reason')}: ${escapeControls(textAt(event, 'message'))}${times}`;
    }),
  ];
}
