import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Command } from '../../components/command.tsx';
import { Icon } from '../../components/icon.tsx';
import { type DetailTab, DetailTabs } from '../../components/object/detail-tabs.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { usePermissions } from '../../data/permissions.ts';
import { useSelf } from '../../data/session/use-self.ts';
import { KeysList } from './keys-list.tsx';

const allFilters = ['Owner', 'Status', 'Type'];
const ownFilters = ['Status'];
const ownAndTeamFilters = ['Owner', 'Status'];
const hiddenOwner = ['Owner'];
const hiddenForSessions = ['Owner', 'Scope', 'Type'];
/**
 * Columns that the table of all keys hides by default. That table has a column for the owner, so there is no room for
 * the display name.
 */
const wideForAll = ['Display Name'];
const noHiddenColumns: readonly string[] = [];

/**
 * The page that lists the caller's own access keys and sessions. Administrators also see the keys of all users and
 * teams.
 */
export function AccessKeysPage() {
  const [create, all] = usePermissions([
    { verb: 'create', kind: kinds.ownedKey },
    { verb: 'list', kind: kinds.accessKey },
  ]);
  const { self } = useSelf();
  const hasTeams = (self?.user?.teams ?? []).length > 0;
  const createButton =
    create?.allowed === true ? (
      <Button component={Link} to="/keys/new" leftSection={<Icon name="plus" />}>
        New access key
      </Button>
    ) : undefined;
  const tabs: DetailTab[] = [
    {
      id: 'own',
      label: 'Your keys',
      render: () => <OwnKeys hasTeams={hasTeams} createButton={createButton} />,
    },
    {
      id: 'sign-ins',
      label: 'Your sessions',
      render: () => (
        <KeysList
          what="sessions"
          kind={kinds.ownedKey}
          fieldSelector="spec.type=Login"
          hiddenColumns={hiddenForSessions}
          empty={{
            title: 'No sessions',
            text: 'Each sign-in with a browser or with the command-line tool starts a session, which is listed here.',
          }}
        />
      ),
    },
    ...(all?.allowed === true
      ? [
          {
            id: 'all',
            label: 'All keys',
            render: () => (
              <KeysList
                what="access keys"
                kind={kinds.accessKey}
                filters={allFilters}
                wideColumns={wideForAll}
                empty={{ title: 'No access keys', text: 'No user or team has an access key.' }}
              />
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      <PageHeader
        title="Access keys"
        about="Credentials for scripts, pipelines and tools. Create a separate key for each, with the narrowest scope that works."
        actions={createButton}
      />
      <DetailTabs label="Access key lists" tabs={tabs} />
    </>
  );
}

interface OwnKeysProps {
  readonly hasTeams: boolean;
  readonly createButton: ReactNode;
}

/** The access keys of the caller and of the caller's teams. */
function OwnKeys({ hasTeams, createButton }: OwnKeysProps) {
  return (
    <KeysList
      what="access keys"
      kind={kinds.ownedKey}
      fieldSelector="spec.type!=Login"
      filters={hasTeams ? ownAndTeamFilters : ownFilters}
      hiddenColumns={hasTeams ? noHiddenColumns : hiddenOwner}
      empty={{
        title: 'No access keys yet',
        text: (
          <>
            An access key lets a script, a pipeline or a tool use the API as you or as one of your teams. You can limit
            the key to a scope. To create a key on the command line:
            <Command text="flotilla access-key create ci --ttl 30d" />
          </>
        ),
        action: createButton,
      }}
    />
  );
}
