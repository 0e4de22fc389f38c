import type { useNavigate } from '@tanstack/react-router';
import type { IconName } from '../../components/icon.tsx';
import { type InstanceType, spaceType, virtualClusterType } from '../../data/instance-types.ts';
import { type KindRef, kinds } from '../../data/kind-ref.ts';
import type { PermissionQuery } from '../../data/permissions.ts';
import { columnText } from '../../data/rows/fleet-counts.ts';
import { projectColumn } from '../../data/rows/list-columns.ts';
import type { RowsSnapshot } from '../../data/rows/live-rows.ts';
import type { Row } from '../../data/rows/table-rows.ts';
import type { InstanceChangeRequest } from '../../pages/instances/list/change-dialog.tsx';
import { instanceChanges } from '../../pages/instances/list/instance-change.ts';
import { type PaletteSource, sourceOf } from './find-entries.ts';

export interface KindRows extends Pick<RowsSnapshot, 'columns' | 'rows'> {
  /** True if all rows have been loaded at least once. */
  readonly isLoaded?: boolean;
}
type Navigate = ReturnType<typeof useNavigate>;

/** A kind whose objects the palette finds, and the page of an object. */
interface PaletteKind {
  readonly kind: KindRef;
  readonly noun: string;
  readonly icon: IconName;
  open(navigate: Navigate, name: string): void;
}

const clusterScopedKinds: readonly PaletteKind[] = [
  {
    kind: kinds.project,
    noun: 'Project',
    icon: 'projects',
    open: (navigate, project) => void navigate({ to: '/projects/$project', params: { project } }),
  },
  {
    kind: kinds.cluster,
    noun: 'Cluster',
    icon: 'hosts',
    open: (navigate, cluster) => void navigate({ to: '/hosts/$cluster', params: { cluster } }),
  },
  {
    kind: kinds.template,
    noun: 'Template',
    icon: 'templates',
    open: (navigate, template) => void navigate({ to: '/templates/$template', params: { template } }),
  },
  {
    kind: kinds.spaceTemplate,
    noun: 'Space template',
    icon: 'templates',
    open: (navigate, template) => void navigate({ to: '/space-templates/$template', params: { template } }),
  },
  {
    kind: kinds.user,
    noun: 'User',
    icon: 'users',
    open: (navigate, user) => void navigate({ to: '/users/$user', params: { user } }),
  },
  {
    kind: kinds.team,
    noun: 'Team',
    icon: 'users',
    open: (navigate, team) => void navigate({ to: '/teams/$team', params: { team } }),
  },
  {
    kind: kinds.ownedKey,
    noun: 'Access key',
    icon: 'keys',
    open: (navigate, key) => void navigate({ to: '/keys/named/$key', params: { key } }),
  },
];

/** The kinds of the objects that the palette finds. */
export const paletteKinds: readonly KindRef[] = [
  kinds.instance,
  kinds.space,
  ...clusterScopedKinds.map(({ kind }) => kind),
];

export interface ObjectActions {
  readonly navigate: Navigate;
  /** Asks the user to confirm a change of an instance. */
  onChange(type: InstanceType, request: InstanceChangeRequest): void;
}

/** Returns the sources for all objects, and for the actions on virtual clusters and spaces. */
export function objectSources(
  rowsOf: (kind: KindRef) => KindRows | undefined,
  actions: ObjectActions,
): readonly PaletteSource[] {
  return [
    ...[virtualClusterType, spaceType].flatMap((type) => instanceSources(type, rowsOf(type.kind), actions)),
    offboardingSource(rowsOf(kinds.user), actions),
    ...clusterScopedKinds.map(({ kind, noun, icon, open }) => {
      const snapshot = rowsOf(kind) ?? { columns: [], rows: [] };
      const displayName = columnText(snapshot, 'Display Name');
      return sourceOf(
        snapshot.rows,
        (row) => `${row.metadata.name ?? ''} ${displayName(row)}`,
        (row) => {
          const { name = '' } = row.metadata;
          return {
            id: `${kind.plural} ${name}`,
            title: displayName(row) === '' ? name : `${displayName(row)} (${name})`,
            about: noun,
            icon,
            run: () => open(actions.navigate, name),
          };
        },
      );
    }),
  ];
}

/** Returns the source for the actions that open the offboarding page for a user. */
function offboardingSource(snapshot: KindRows | undefined, { navigate }: ObjectActions): PaletteSource {
  const { rows, columns } = snapshot ?? { rows: [], columns: [] };
  const displayName = columnText({ columns }, 'Display Name');
  return sourceOf(
    rows,
    (row) => `Offboard ${row.metadata.name ?? ''} ${displayName(row)}`,
    (row) => {
      const { name = '' } = row.metadata;
      return {
        id: `offboard ${name}`,
        title: `Offboard ${name}`,
        about: 'User',
        icon: 'signOut',
        permission: { verb: 'create', kind: kinds.user, name, subresource: 'offboard' },
        run: () => void navigate({ to: '/offboarding', search: { user: name } }),
      };
    },
  );
}

function instanceSources(
  type: InstanceType,
  snapshot: KindRows | undefined,
  { navigate, onChange }: ObjectActions,
): readonly PaletteSource[] {
  if (snapshot === undefined) return [];
  const statusOf = columnText(snapshot, 'Status');
  const { kind, title: noun, detailPath, hasExplorer } = type;
  const placeOf = (row: Row) => ({ project: projectColumn.text(row), name: row.metadata.name ?? '' });
  const aboutOf = (row: Row) => `${noun} in project ${projectColumn.text(row)}`;
  const textOf = (row: Row) => `${row.metadata.name ?? ''} ${projectColumn.text(row)}`;
  const { rows } = snapshot;
  const awake = rows.filter((row) => statusOf(row) === 'Ready');
  const objects = sourceOf(rows, textOf, (row) => ({
    id: `${kind.plural} ${row.key}`,
    title: row.metadata.name ?? '',
    about: aboutOf(row),
    icon: hasExplorer ? 'clusters' : 'spaces',
    run: () => void navigate({ to: detailPath, params: placeOf(row) }),
  }));
  const toTab = (verb: string, tab: string, permission: Pick<PermissionQuery, 'verb' | 'subresource'>) =>
    sourceOf(
      rows,
      (row) => `${verb} ${textOf(row)}`,
      (row) => ({
        id: `${verb} ${kind.plural} ${row.key}`,
        title: `${verb} ${row.metadata.name ?? ''}`,
        about: aboutOf(row),
        icon: 'right',
        permission: { ...permission, kind, namespace: row.metadata.namespace, name: row.metadata.name ?? '' },
        run: () => void navigate({ to: detailPath, params: placeOf(row), search: { tab } }),
      }),
    );
  const explorer = sourceOf(
    hasExplorer ? awake : [],
    (row) => `Explore ${textOf(row)}`,
    (row) => ({
      id: `explore ${row.key}`,
      title: `Explore ${row.metadata.name ?? ''}`,
      about: aboutOf(row),
      icon: 'search',
      permission: { verb: 'use', kind, ...row.metadata },
      run: () => void navigate({ to: '/virtual-clusters/$project/$name/inside', params: placeOf(row) }),
    }),
  );
  const terminal = sourceOf(
    hasExplorer ? awake : [],
    (row) => `Terminal kubectl ${textOf(row)}`,
    (row) => ({
      id: `terminal ${row.key}`,
      title: `Terminal in ${row.metadata.name ?? ''}`,
      about: aboutOf(row),
      icon: 'terminal',
      permission: { verb: 'use', kind, ...row.metadata },
      run: () => void navigate({ to: '/virtual-clusters/$project/$name/terminal', params: placeOf(row) }),
    }),
  );
  const logs = hasExplorer ? [toTab('Logs of', 'logs', { verb: 'get', subresource: 'log' })] : [];
  const changes = instanceChanges.map((change) =>
    sourceOf(
      rows.filter((row) => change.appliesTo(statusOf(row))),
      (row) => `${change.label} ${textOf(row)}`,
      (row) => ({
        id: `${change.label} ${kind.plural} ${row.key}`,
        title: `${change.label} ${row.metadata.name ?? ''}…`,
        about: aboutOf(row),
        icon: change.icon,
        permission: { verb: change.verb, kind, namespace: row.metadata.namespace, name: row.metadata.name ?? '' },
        run: () => onChange(type, { change, rows: [row] }),
      }),
    ),
  );
  const connect = toTab('Connect to', 'connect', { verb: 'create', subresource: 'kubeconfig' });
  const share = toTab('Share', 'access', { verb: 'update', subresource: 'spec.access' });
  return [objects, connect, share, explorer, terminal, ...logs, ...changes];
}
