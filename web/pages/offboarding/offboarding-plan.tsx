import { Button, Group, SimpleGrid, Switch, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { OffboardingItem } from '../../../src/api/management/v1/subresources/user-offboarding.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Confirm } from '../../components/form/confirm.tsx';
import { PrincipalPicker } from '../../components/form/principal-picker.tsx';
import { LoadingIndicator } from '../../components/loading-indicator.tsx';
import { Panel } from '../../components/panel.tsx';
import type { Principal } from '../../data/principals.ts';
import { ItemsTable } from './items-table.tsx';
import { type OffboardingChoices, offboard, planOffboarding } from './offboard-request.ts';

export interface OffboardingPlanProps {
  /** The name of the user. */
  readonly user: string;
  /** Called with the performed actions. */
  onDone(items: readonly OffboardingItem[]): void;
}

/** Lists everything that a user holds, with the choices about it, and the button that ends all access of the user. */
export function OffboardingPlan({ user, onDone }: OffboardingPlanProps) {
  const [heir, setHeir] = useState<Principal>();
  const [revokes, setRevokes] = useState(false);
  const [keeps, setKeeps] = useState(false);
  const [isConfirming, setConfirming] = useState(false);
  const choices: OffboardingChoices = {
    ...(heir === undefined ? {} : { transferTo: heir.name }),
    ...(revokes ? { revokeUnattributed: true } : {}),
    ...(keeps ? { keepUser: true } : {}),
  };
  const plan = useQuery({
    queryKey: ['offboarding', user, choices],
    queryFn: async ({ signal }) => await planOffboarding(user, choices, signal),
    retry: false,
    // After a change of the choices, the page shows the old plan until the new plan arrives.
    placeholderData: keepPreviousData,
  });
  const items = plan.data ?? [];
  const needsHeir = heir === undefined && items.some(({ action }) => action === 'Transfer');
  return (
    <>
      <Panel title="Choices">
        <SimpleGrid cols={{ base: 1, md: 2 }} mb="md">
          <PrincipalPicker
            label="New owner"
            description="Required if the user owns virtual clusters or other objects."
            allow={['User']}
            value={heir}
            onChange={setHeir}
            required={needsHeir}
          />
        </SimpleGrid>
        <Switch
          mb="sm"
          label="Keep the user, disabled"
          description="By default, the user is deleted at the end."
          checked={keeps}
          onChange={(event) => setKeeps(event.currentTarget.checked)}
        />
        <Switch
          label="Revoke service account tokens without a known creator"
          description="In the virtual clusters that the user may use, some tokens do not name their creator. Revoking them also stops tools of other people that use such a token. If this is off, the plan lists these tokens as kept."
          checked={revokes}
          onChange={(event) => setRevokes(event.currentTarget.checked)}
        />
      </Panel>
      <Panel title={`Access and objects of ${user}`}>
        {plan.error === null ? null : <ErrorNotice error={plan.error} onRetry={() => void plan.refetch()} />}
        {plan.isLoading ? <LoadingIndicator message="Searching for the user's access and objects" /> : null}
        {plan.data === undefined ? null : <ItemsTable label="Offboarding plan" items={items} tense="planned" />}
        <Group mt="lg" gap="md">
          <Button
            variant="light"
            color="red"
            disabled={plan.data === undefined || plan.error !== null || plan.isPlaceholderData || needsHeir}
            onClick={() => setConfirming(true)}
          >
            Offboard {user}
          </Button>
          {needsHeir ? <Text size="sm">Choose a new owner for what is transferred.</Text> : null}
        </Group>
      </Panel>
      {isConfirming ? (
        <Confirm
          title={`Offboard ${user}?`}
          action={`Offboard ${user}`}
          confirmationText={user}
          danger
          onClose={() => setConfirming(false)}
          onConfirm={async () => onDone(await offboard(user, choices))}
        >
          <Text size="sm">
            Ends all access of {user} at once: disables the user, deletes all credentials, transfers what the user owns,
            and removes the access that others granted{keeps ? '' : '. Then deletes the user'}. This cannot be undone.
          </Text>
        </Confirm>
      ) : null}
    </>
  );
}
