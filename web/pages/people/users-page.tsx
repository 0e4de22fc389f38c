import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { User } from '../../../src/api/management/v1/user.ts';
import { Command } from '../../components/command.tsx';
import { Icon } from '../../components/icon.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import type { CellDrawings } from '../../components/table-row.tsx';
import { displayNameColumn } from '../../data/display-name.ts';
import { kinds } from '../../data/kind-ref.ts';
import type { ListColumn } from '../../data/list-columns.ts';
import { useMay } from '../../data/permissions.ts';
import { useRows } from '../../data/use-rows.ts';
import { CreateUser } from './create-user.tsx';
import { isAdminUser, teamsOfUser, userSpec } from './user-spec.ts';

const columns: readonly ListColumn<User>[] = [
  displayNameColumn,
  {
    name: 'Status',
    about: 'Disabled users have no access.',
    isWide: false,
    text: ({ object }) => (userSpec(object).disabled === true ? 'Disabled' : 'Active'),
  },
  {
    name: 'Teams',
    about: 'The teams that the user is a member of.',
    isWide: false,
    text: ({ object }) => teamsOfUser(object).join(', '),
  },
  {
    name: 'Role',
    about: 'Administrators have all permissions.',
    isWide: false,
    text: ({ object }) => (isAdminUser(object) ? 'Administrator' : 'User'),
  },
];
const leaveOut = ['Display Name', 'Disabled'];
const filters = ['Status', 'Role'];
const cells: CellDrawings = {
  Name: (_, text) => (
    <Link to="/users/$user" params={{ user: text }}>
      {text}
    </Link>
  ),
  Status: (_, text) => <StatusBadge status={text} />,
};

/** The users that the caller may see. */
export function UsersPage() {
  const rows = useRows({ kind: kinds.user, objects: true });
  const { allowed } = useMay({ verb: 'create', kind: kinds.user });
  const [isCreating, setCreating] = useState(false);
  const make = allowed ? (
    <Button leftSection={<Icon name="plus" />} onClick={() => setCreating(true)}>
      New user
    </Button>
  ) : undefined;
  return (
    <>
      <PageHeader title="Users" about="People and machine accounts that use this server." actions={make} />
      <ResourceList
        what="users"
        rows={rows}
        extraColumns={columns}
        leaveOut={leaveOut}
        filters={filters}
        cells={cells}
        empty={{
          title: 'No users',
          text: (
            <>
              You see the users who share a project with you. Administrators see all users:
              <Command text="kubectl get users" />
            </>
          ),
          action: make,
        }}
      />
      {isCreating ? <CreateUser onClose={() => setCreating(false)} /> : null}
    </>
  );
}
