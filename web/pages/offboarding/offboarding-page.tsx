import { Alert, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { OffboardingItem } from '../../../src/api/management/v1/subresources/user-offboarding.ts';
import { NameSelect } from '../../components/form/name-select.tsx';
import { Icon } from '../../components/icon.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { usePermission } from '../../data/permissions.ts';
import { useRows } from '../../data/rows/use-rows.ts';
import { ItemsTable } from './items-table.tsx';
import { OffboardingPlan } from './offboarding-plan.tsx';

interface Result {
  readonly user: string;
  readonly items: readonly OffboardingItem[];
}

/** The page that ends all access of a user who leaves: the access of the user, the choices, and the result. */
export function OffboardingPage() {
  const { user } = useSearch({ from: '/offboarding' });
  const navigate = useNavigate();
  const users = useRows({ kind: kinds.user });
  const { known, allowed } = usePermission({ verb: 'create', kind: kinds.user, subresource: 'offboard' });
  const [result, setResult] = useState<Result>();
  return (
    <>
      <PageHeader
        title="Offboarding"
        about="Ends all access of a person who leaves, in one step. Nothing changes until you confirm."
      />
      {known && !allowed ? (
        <Alert color="yellow" title="You may not offboard users" role="status">
          Only administrators may. The page Effective access shows what a user may do.
        </Alert>
      ) : null}
      {allowed ? (
        <Panel>
          <NameSelect
            label="User who leaves"
            rows={users}
            value={user}
            onChange={(name) => {
              setResult(undefined);
              void navigate({ to: '/offboarding', search: { user: name } });
            }}
          />
        </Panel>
      ) : null}
      {result === undefined ? null : <OffboardingResult result={result} />}
      {!allowed || user === undefined || result !== undefined ? null : (
        <OffboardingPlan key={user} user={user} onDone={(items) => setResult({ user, items })} />
      )}
    </>
  );
}

function OffboardingResult({ result: { user, items } }: { readonly result: Result }) {
  return (
    <Panel
      title={`Offboarded ${user}`}
      actions={
        <LinkButton
          to="/audit-log"
          search={{ name: user, resource: 'users' }}
          variant="default"
          size="xs"
          leftSection={<Icon name="audit" size={16} />}
        >
          Show in audit log
        </LinkButton>
      }
    >
      <Text size="sm" mb="md" role="status">
        All access of {user} has ended. This is what was done:
      </Text>
      <ItemsTable label="Result of the offboarding" items={items} tense="done" />
    </Panel>
  );
}
