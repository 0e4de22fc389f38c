import { type JsonValue, listAt, numberAt, textAt } from '@flotilla/json';
import { displayedPhase } from '../../../api/columns.ts';
import type { AccessEntry } from '../../../api/management/v1/access.ts';
import type { Condition } from '../../../api/management/v1/condition.ts';
import { projectNamespace } from '../../../api/naming.ts';
import { StatusError } from '../../../api/status.ts';
import { escapeControlCharacters } from '../../../client/escape-controls.ts';
import type { CommandCall } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { getObject } from '../../connection/objects.ts';
import { type ServerApi, withServer } from '../../connection/server-api.ts';
import type { Instance, InstanceKind } from '../../kinds.ts';
import { type Colors, phaseColor } from '../../output/colors.ts';

/** Returns the command that shows the details, conditions and events of an instance, to find the cause of a problem. */
export function describeCommand(kind: InstanceKind): CommandRun {
  return async (call) =>
    await withServer(call, async (api) => {
      const name = call.values.argument('name');
      const where = { project: api.access.project, signal: call.interrupted };
      const instance = await getObject(api, kind, where, name);
      const events = await eventsOf(api, instance, call);
      call.terminal.print(
        `${[...summary(instance, call), ...conditions(instance, call), ...eventLines(events)].join('\n')}\n`,
      );
      return undefined;
    });
}

function summary(instance: Instance, { terminal: { colors } }: CommandCall): string[] {
  const { metadata, spec = {}, status = {} } = instance;
  const { owner = {}, clusterRef = {}, access = [], extraAccessRules = [] } = spec;
  const virtualCluster = 'virtualCluster' in clusterRef ? clusterRef.virtualCluster : undefined;
  const phase = displayedPhase(instance) ?? 'New';
  const version = spec.templateRef?.version ?? '';
  const lines: [string, string][] = [
    ['Name', metadata.name ?? ''],
    ['Project', projectOf(instance)],
    ['Display name', spec.displayName ?? ''],
    ['Description', spec.description ?? ''],
    ['Status', phaseColor(colors, phase)(phase)],
    ['Message', status.message ?? ''],
    ['Version', 'kubernetesVersion' in status ? (status.kubernetesVersion ?? '') : ''],
    ['Owner', owner.user || (owner.team ? `team ${owner.team}` : '')],
    ['Template', template(instance) + (version === '' ? '' : `@${version}`)],
    ['Cluster', clusterRef.cluster ?? ''],
    ['Location', [clusterRef.namespace, virtualCluster].filter(Boolean).join('/')],
    ['Created', metadata.creationTimestamp ?? ''],
    ['Deleted', metadata.deletionTimestamp ?? ''],
    ['Annotations', pairs(metadata.annotations)],
    ['Labels', pairs(metadata.labels)],
    ['Parameters', (spec.parameters ?? '').trim()],
    ['Shared with', access.map((entry) => grantText(entry, entry.verbs.join(', '))).join('\n')],
    ['Cluster roles', extraAccessRules.map((rule) => grantText(rule, rule.clusterRole)).join('\n')],
  ];
  return lines
    .filter(([, value]) => value !== '')
    .map(
      ([title, value]) =>
        `${`${title}:`.padEnd(15)}${(title === 'Status' ? value : escapeControlCharacters(value)).replaceAll('\n', `\n${' '.repeat(15)}`)}`,
    );
}

function projectOf({ metadata }: Instance): string {
  return (metadata.namespace ?? '').slice(projectNamespace('').length);
}

function template({ spec }: Instance): string {
  return spec?.template === undefined ? (spec?.templateRef?.name ?? '') : '<inline>';
}

function pairs(map: Readonly<Record<string, string>> = {}): string {
  return Object.entries(map)
    .filter(([name]) => !name.startsWith('kubectl.kubernetes.io/'))
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');
}

function grantText({ users = [], teams = [] }: Pick<AccessEntry, 'users' | 'teams'>, granted: string): string {
  return `${[...users, ...teams.map((team) => `team ${team}`)].join(', ')}: ${granted}`;
}

function conditions({ status }: Instance, { terminal: { colors } }: CommandCall): string[] {
  const all = status?.conditions ?? [];
  if (all.length === 0) return [];
  const longest = Math.max(...all.map(({ type }) => type.length));
  return ['Conditions:', ...all.map((condition) => conditionLine(condition, longest, colors))];
}

function conditionLine({ type, status, reason, message }: Condition, longest: number, colors: Colors): string {
  const mark = status === 'True' ? colors.good(status.padEnd(8)) : colors.bad(status.padEnd(8));
  const text = [reason, message].filter(Boolean).join(': ');
  return `  ${type.padEnd(longest)}  ${mark} ${escapeControlCharacters(text)}`.trimEnd();
}

/**
 * Returns the events of an instance. Returns an empty list if the caller may not read events, so the other details are
 * still shown.
 */
async function eventsOf(
  api: ServerApi,
  { metadata, kind }: Instance,
  call: CommandCall,
): Promise<readonly JsonValue[]> {
  const { apiPrefix, project } = api.access;
  const path = `/${apiPrefix}/management/api/v1/namespaces/${encodeURIComponent(projectNamespace(project))}/events`;
  const query = { fieldSelector: `involvedObject.name=${metadata.name},involvedObject.kind=${kind}` };
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
      return `  ${when(event).slice(0, 19)}Z  ${textAt(event, 'type')}  ${textAt(event, 'reason')}: ${escapeControlCharacters(textAt(event, 'message'))}${times}`;
    }),
  ];
}
