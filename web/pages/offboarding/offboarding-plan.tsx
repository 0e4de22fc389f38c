import { Switch, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { UserOffboarding } from '../../../src/api/management/v1/subresources/user-offboarding.ts';
import type { User } from '../../../src/api/management/v1/user.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { PrincipalPicker } from '../../components/form/principal-picker.tsx';
import { SimpleTable } from '../../components/list/simple-table.tsx';
import { notify } from '../../components/notifications.tsx';
import { managementRoot } from '../../data/api-root.ts';
import { kinds, objectUrl } from '../../data/kind-ref.ts';
import type { Principal } from '../../data/principals.ts';
import { sendJson } from '../../data/send.ts';

interface OffboardUserProps {
  readonly user: User;
  onClose(): void;
}

/** A dialog that lists everything that a user holds, and ends it in one step. */
export function OffboardUser({ user, onClose }: OffboardUserProps) {
  const { name = '' } = user.metadata;
  const [heir, setHeir] = useState<Principal>();
  const [revokes, setRevokes] = useState(false);
  const plan = useQuery({
    queryKey: ['offboarding', name, heir?.name ?? '', revokes],
    queryFn: async ({ signal }) => await offboard(name, heir, { revokes, isDryRun: true, signal }),
    retry: false,
    // The switch changes the plan that is shown, so the dialog keeps it until the new one arrives.
    placeholderData: keepPreviousData,
  });
  return (
    <FormDialog
      title={`Offboard ${name}`}
      action={`Offboard ${name}`}
      size="xl"
      canSend={plan.data !== undefined && !plan.isPlaceholderData}
      onClose={onClose}
      onSend={async () => {
        // The first request makes all revocations.
        let left = (await offboard(name, heir, { revokes })).status?.remaining ?? 0;
        while (left > 0) left = (await offboard(name, heir, {})).status?.remaining ?? 0;
        notify.done(`Offboarded user ${name}`);
      }}
    >
      {() => (
        <>
          <Text size="sm">
            Ends all access of the user at once: disables the user, deletes all credentials, transfers everything that
            the user owns to the new owner, removes the access that others granted, and deletes the user.
          </Text>
          <PrincipalPicker
            label="New owner"
            description="Required if the user owns virtual clusters or other objects."
            allow={['User']}
            value={heir}
            onChange={setHeir}
          />
          <Switch
            label="Revoke service account tokens without a known creator"
            description="Revokes all service account tokens, whoever created them, in the virtual clusters that the user may use and whose tokens do not name their creator. Otherwise, the plan lists these tokens as kept."
            checked={revokes}
            onChange={(event) => setRevokes(event.currentTarget.checked)}
          />
          {plan.error === null ? null : <ErrorNotice error={plan.error} />}
          {plan.data === undefined ? null : <PlanTable plan={plan.data} />}
        </>
      )}
    </FormDialog>
  );
}

function PlanTable({ plan }: { readonly plan: UserOffboarding }) {
  return (
    <SimpleTable
      label="Offboarding plan"
      head={['Action', 'Kind', 'Name', 'Details']}
      rows={(plan.status?.items ?? []).map((item) => ({
        // Virtual clusters of a project can contain credentials of the same name. Their messages differ.
        key: [item.action, item.kind, item.project ?? '', item.name, item.message ?? ''].join('/'),
        cells: [
          actionText[item.action],
          item.kind,
          item.project === undefined ? item.name : `${item.project}/${item.name}`,
          item.message,
        ],
      }))}
    />
  );
}

const actionText = {
  Disable: 'Disable',
  Delete: 'Delete',
  Transfer: 'Transfer',
  RemoveAccess: 'Remove access',
  Revoke: 'Revoke',
  End: 'Ends',
  Keep: 'Keep',
} as const;

async function offboard(
  name: string,
  heir: Principal | undefined,
  {
    revokes = false,
    isDryRun = false,
    signal,
  }: { readonly revokes?: boolean; readonly isDryRun?: boolean; readonly signal?: AbortSignal },
): Promise<UserOffboarding> {
  const url = objectUrl(managementRoot, kinds.user, { name }, 'offboard');
  return await sendJson<UserOffboarding>({
    method: 'POST',
    url: isDryRun ? `${url}?dryRun=All` : url,
    document: {
      metadata: { name },
      spec: {
        ...(heir === undefined ? {} : { transferTo: heir.name }),
        ...(revokes ? { revokeUnattributed: true } : {}),
      },
    },
    ...(signal === undefined ? {} : { signal }),
  });
}
