import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
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
const withTeamsFilters = ['Owner', 'Status'];
const withoutOwner = ['Owner'];
const withoutReach = ['Owner', 'Scope', 'Type'];
const withAll: readonly string[] = [];

/** The caller's own access keys and sessions; for administrators also those of all users. */
export function AccessKeysPage() {
  const [create, all] = usePermissions([
    { verb: 'create', kind: kinds.ownedKey },
    { verb: 'list', kind: kinds.accessKey },
  ]);
  const { self } = useSelf();
  const hasTeams = (self?.user?.teams ?? []).length > 0;
  const make =
    create?.allowed === true ? (
      <Button component={Link} to="/keys/new" leftSection={<Icon name="plus" />}>
        New access key
      </Button>
    ) : undefined;
  const tabs: DetailTab[] = [
    {
      id: 'own',
      label: 'Your keys',
      render: () => (
        <KeysList
          what="access keys"
          kind={kinds.ownedKey}
          fieldSelector="spec.type!=Login"
          filters={hasTeams ? withTeamsFilters : ownFilters}
          hiddenColumns={hasTeams ? withAll : withoutOwner}
          empty={{
            title: 'No access keys yet',
            text: (
              <>
                An access key lets a script, pipeline or tool use the API as you or as one of your teams, within an
                optional scope. You can also create one on the command line:
                <Command text="flotilla access-key create ci --ttl 30d" />
              </>
            ),
            action: make,
          }}
        />
      ),
    },
    {
      id: 'sign-ins',
      label: 'Your sessions',
      render: () => (
        <KeysList
          what="sessions"
          kind={kinds.ownedKey}
          fieldSelector="spec.type=Login"
          hiddenColumns={withoutReach}
          empty={{
            title: 'No sessions',
            text: 'Your active sessions, including this one. Delete a session to sign out there.',
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
        about="Credentials for scripts, pipelines and tools. Use a separate key for each, with the narrowest scope."
        actions={make}
      />
      <DetailTabs label="Access key lists" tabs={tabs} />
    </>
  );
}
