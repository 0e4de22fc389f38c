import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Icon } from '../../components/icon.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import type { CellDrawings } from '../../components/table-row.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { useMay } from '../../data/permissions.ts';
import { useRows } from '../../data/use-rows.ts';
import { CreateTeam } from './create-team.tsx';

const cells: CellDrawings = {
  Name: (_, text) => (
    <Link to="/teams/$team" params={{ team: text }}>
      {text}
    </Link>
  ),
};

/** The teams that one may see. */
export function TeamsPage() {
  const rows = useRows({ kind: kinds.team });
  const { allowed } = useMay({ verb: 'create', kind: kinds.team });
  const [isMaking, setMaking] = useState(false);
  const make = allowed ? (
    <Button leftSection={<Icon name="plus" />} onClick={() => setMaking(true)}>
      New team
    </Button>
  ) : undefined;
  return (
    <>
      <PageHeader title="Teams" about="Rights that a team has hold for everybody in it." actions={make} />
      <ResourceList
        what="teams"
        rows={rows}
        cells={cells}
        empty={{
          title: 'No teams yet',
          text: 'A team is given a role in a project, or a virtual cluster, once: whoever comes into it has the same.',
          action: make,
        }}
      />
      {isMaking ? <CreateTeam onClose={() => setMaking(false)} /> : null}
    </>
  );
}
