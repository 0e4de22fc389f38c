import { Badge, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { accessKeyExpiry, accessKeyPhase } from '../../../src/api/management/access-key-expiry.ts';
import type { AccessKey } from '../../../src/api/management/v1/access-key.ts';
import type { CellRenderers } from '../../components/list/table-row.tsx';
import { Age, useNow } from '../../components/object/age.tsx';
import { PrincipalLink } from '../../components/object/principal-link.tsx';
import { StatusBadge } from '../../components/object/status-badge.tsx';
import { TimeUntil } from '../../components/object/time-until.tsx';
import { displayNameColumn } from '../../data/objects/display-name.ts';
import type { ListColumn } from '../../data/rows/list-columns.ts';
import { useSelf } from '../../data/session/use-self.ts';
import { scopeSummary } from './describe-scope.ts';
import { ownerOfKey } from './key-form.ts';
import { keySpec } from './key-spec.ts';

function ownerText(key: AccessKey): string {
  const owner = ownerOfKey(keySpec(key));
  if (owner === undefined) return key.spec?.subject ?? '';
  return owner.kind === 'User' ? owner.name : `team ${owner.name}`;
}

const lastActivity = (key: AccessKey) => key.status?.lastActivity ?? '';

/** The columns that the console adds to lists of access keys. */
export const keyColumns: readonly ListColumn<AccessKey>[] = [
  {
    name: 'Status',
    about: 'The status of the key: Active, Disabled or Expired.',
    isWide: false,
    text: ({ object }) => accessKeyPhase(object, Date.now()),
  },
  {
    name: 'Owner',
    about: 'The user or team that the key belongs to.',
    isWide: false,
    text: ({ object }) => ownerText(object),
  },
  {
    name: 'Expires',
    about: 'The time at which the key expires.',
    isWide: false,
    text: ({ object }) => {
      const end = accessKeyExpiry(object);
      return end === undefined ? 'Never' : new Date(end).toISOString();
    },
    rank: ({ object }) => accessKeyExpiry(object) ?? Number.MAX_SAFE_INTEGER,
  },
  {
    name: 'Last Used',
    about: 'The time since the key was last used.',
    isWide: false,
    text: ({ object }) => lastActivity(object) || 'Never',
    rank: ({ object }) => -Date.parse(lastActivity(object)) || Number.MAX_SAFE_INTEGER,
  },
  {
    name: 'Scope',
    about: 'The projects, virtual clusters, clusters or rules that the key is limited to.',
    isWide: false,
    text: ({ object }) => scopeSummary(keySpec(object).scope),
  },
  displayNameColumn,
  {
    name: 'Age',
    about: 'The time since the key was created.',
    isWide: true,
    text: ({ metadata }) => metadata.creationTimestamp ?? '',
  },
  {
    name: 'Type',
    about: 'The type of the key, for example User for a key that a user created, or Login for a session.',
    isWide: true,
    text: ({ object }) => keySpec(object).type ?? 'User',
  },
];

/** Columns from the server that `keyColumns` replaces. */
export const hiddenKeyColumns = ['Display Name', 'User', 'Team', 'Type', 'Status', 'Expires', 'Last Activity', 'Age'];

export const keyCells: CellRenderers<AccessKey> = {
  Name: ({ metadata: { name = '' } }) => <KeyName name={name} />,
  Owner: ({ object }, text) => {
    const owner = ownerOfKey(keySpec(object));
    return owner === undefined ? text : <PrincipalLink principal={owner} />;
  },
  Status: ({ object }) => <KeyStatus accessKey={object} />,
  Expires: ({ object }) => <TimeUntil end={accessKeyExpiry(object)} />,
  'Last Used': ({ object }) => <LastUsed accessKey={object} />,
};

function KeyName({ name }: { readonly name: string }) {
  const { self } = useSelf();
  return (
    <Group gap="xs" wrap="nowrap">
      <Link to="/keys/named/$key" params={{ key: name }}>
        {name}
      </Link>
      {self?.accessKey === name ? (
        <Badge size="xs" variant="light" tt="none" miw="max-content">
          This session
        </Badge>
      ) : null}
    </Group>
  );
}

export function KeyStatus({ accessKey }: { readonly accessKey: AccessKey }) {
  return <StatusBadge status={accessKeyPhase(accessKey, useNow())} />;
}

export function LastUsed({ accessKey }: { readonly accessKey: AccessKey }) {
  const used = lastActivity(accessKey);
  if (used === '')
    return (
      <Text span inherit c="dimmed">
        Never
      </Text>
    );
  return (
    <>
      <Age since={used} /> ago
    </>
  );
}
