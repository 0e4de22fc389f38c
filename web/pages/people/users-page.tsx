import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { User } from '../../../src/api/management/v1/user.ts';
import { Command } from '../../components/command.tsx';
import { Icon } from '../../components/icon.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import type { CellRenderers } from '../../components/list/table-row.tsx';
import { useCreateDialog } from '../../components/list/use-create-dialog.ts';
import { StatusBadge } from '../../components/object/status-badge.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { displayNameColumn } from '../../data/objects/display-name.ts';
import { usePermission } from '../../data/permissions.ts';
import type { ListColumn } from '../../data/rows/list-columns.ts';
import { useRows } from '../../data/rows/use-rows.ts';
import { CreateUser } from './create-user.tsx';
import { roleOfUser, teamsOfUser, userSpec } from './user-spec.ts';

const columns: readonly ListColumn<User>[] = [
  displayNameColumn,
  {
    name: 'Status',
    about: 'Active or Disabled. Disabled users cannot sign in.',
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
    about:
      'Administrator, Auditor or User. Administrators have all permissions; auditors read all but secrets and logs.',
    isWide: false,
    text: ({ object }) => roleOfUser(object),
  },
];
const leaveOut = ['Display Name', 'Disabled'];
const filters = ['Status', 'Role'];
const cells: CellRenderers = {
  Name: (_, text) => (
    <Link to="/users/$user" params={{ user: text }}>
      {text}
    </Link>
  ),
  Status: (_, text) => <StatusBadge status={text} />,
};

/** The page that lists the users that the caller may see. */
export function UsersPage() {
  const rows = useRows({ kind: kinds.user, objects: true });
  const { allowed } = usePermission({ verb: 'create', kind: kinds.user });
  const mayOffboard = usePermission({ verb: 'create', kind: kinds.user, subresource: 'offboard' }).allowed;
  const creation = useCreateDialog();
  const make = allowed ? (
    <Button leftSection={<Icon name="plus" />} onClick={creation.open}>
      New user
    </Button>
  ) : undefined;
  const actions = (
    <>
      {mayOffboard ? (
        <LinkButton to="/offboarding" variant="default">
          Offboard a user
        </LinkButton>
      ) : null}
      {make}
    </>
  );
  return (
    <>
      <PageHeader title="Users" about="People and machine accounts that use this server." actions={actions} />
      <ResourceList
        what="users"
        rows={rows}
        extraColumns={columns}
        hiddenColumns={leaveOut}
        filters={filters}
        cells={cells}
        empty={{
          title: 'No users',
          text: (
            <>
              You see only the users who share a project with you. Administrators can list all users on the command
              line:
              <Command text="kubectl get users" />
            </>
          ),
          action: make,
        }}
      />
      {creation.isOpen && allowed ? <CreateUser onClose={creation.close} /> : null}
    </>
  );
}
