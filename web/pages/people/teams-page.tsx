import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Icon } from '../../components/icon.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import type { CellRenderers } from '../../components/list/table-row.tsx';
import { useCreateDialog } from '../../components/list/use-create-dialog.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { usePermission } from '../../data/permissions.ts';
import { useRows } from '../../data/rows/use-rows.ts';
import { CreateTeam } from './create-team.tsx';

const cells: CellRenderers = {
  Name: (_, text) => (
    <Link to="/teams/$team" params={{ team: text }}>
      {text}
    </Link>
  ),
};

/** The page that lists the teams that the caller may see. */
export function TeamsPage() {
  const rows = useRows({ kind: kinds.team });
  const { allowed } = usePermission({ verb: 'create', kind: kinds.team });
  const creation = useCreateDialog();
  const make = allowed ? (
    <Button leftSection={<Icon name="plus" />} onClick={creation.open}>
      New team
    </Button>
  ) : undefined;
  return (
    <>
      <PageHeader
        title="Teams"
        about="Groups of users. The permissions of a team apply to all its members."
        actions={make}
      />
      <ResourceList
        what="teams"
        rows={rows}
        cells={cells}
        empty={{
          title: 'No teams yet',
          text: 'If you grant a team a role in a project or access to a virtual cluster, all its members get it.',
          action: make,
        }}
      />
      {creation.isOpen && allowed ? <CreateTeam onClose={creation.close} /> : null}
    </>
  );
}
