import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Command } from '../../components/command.tsx';
import { type DetailTab, DetailTabs } from '../../components/detail-tabs.tsx';
import { Icon } from '../../components/icon.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { useMayEach } from '../../data/permissions.ts';
import { useSelf } from '../../data/use-self.ts';
import { KeysList } from './keys-list.tsx';

const allFilters = ['For', 'Status', 'Type'];
const ownFilters = ['Status'];
const withTeamsFilters = ['For', 'Status'];
const withoutOwner = ['For'];
const withoutReach = ['For', 'Reach', 'Type'];
const withAll: readonly string[] = [];

/** One's own keys and sign-ins, and for administrators everybody's. */
export function AccessKeysPage() {
  const [create, all] = useMayEach([
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
          without={hasTeams ? withAll : withoutOwner}
          empty={{
            title: 'No access keys yet',
            text: (
              <>
                A key lets a script, a pipeline or a tool of yours use the API as you, or as a team of yours, as far as
                you say. The same on the command line:
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
      label: 'Your sign-ins',
      render: () => (
        <KeysList
          what="sign-ins"
          kind={kinds.ownedKey}
          fieldSelector="spec.type=Login"
          without={withoutReach}
          empty={{
            title: 'No sign-ins',
            text: 'Wherever you are signed in stands here, this page too; to delete one signs you out there.',
          }}
        />
      ),
    },
    ...(all?.allowed === true
      ? [
          {
            id: 'all',
            label: "Everybody's",
            render: () => (
              <KeysList
                what="access keys of everybody"
                kind={kinds.accessKey}
                filters={allFilters}
                empty={{ title: 'No access keys', text: 'Nobody has an access key.' }}
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
        about="For scripts, pipelines and tools: a key of its own for each, no wider than it needs."
        actions={make}
      />
      <DetailTabs label="Whose keys" tabs={tabs} />
    </>
  );
}
