import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { Confirm } from '../../../components/form/confirm.tsx';
import { Icon } from '../../../components/icon.tsx';
import { LinkButton } from '../../../components/link-button.tsx';
import { notify } from '../../../components/notifications.tsx';
import { kinds } from '../../../data/kind-ref.ts';
import { deleteObject } from '../../../data/objects/objects.ts';
import { putToSleep } from '../../../data/objects/sleep-and-wake.ts';
import type { InstanceSectionProps } from './use-instance-permissions.ts';
import { WakeButton } from './wake-button.tsx';

/** The buttons for the actions on a virtual cluster that its state and the caller's permissions allow. */
export function InstanceActions({ instance, permissions }: InstanceSectionProps) {
  const [dialog, setDialog] = useState<'sleep' | 'delete'>();
  const { name, namespace, project, phase, object } = instance;
  const close = () => setDialog(undefined);
  const isTerminating = phase === 'Terminating';
  return (
    <>
      {permissions.canUse && instance.isUsable ? (
        <LinkButton
          to="/virtual-clusters/$project/$name/inside"
          params={{ project, name }}
          leftSection={<Icon name="search" />}
        >
          Open explorer
        </LinkButton>
      ) : null}
      <WakeButton instance={instance} permissions={permissions} />
      {permissions.canChange && (phase === 'Ready' || phase === 'Failed') ? (
        <Button variant="default" leftSection={<Icon name="moon" />} onClick={() => setDialog('sleep')}>
          Sleep
        </Button>
      ) : null}
      {permissions.canDelete && !isTerminating ? (
        <Button variant="light" color="red" leftSection={<Icon name="trash" />} onClick={() => setDialog('delete')}>
          Delete
        </Button>
      ) : null}
      {dialog === 'sleep' ? (
        <Confirm
          title={`Put ${name} to sleep?`}
          action="Put to sleep"
          onClose={close}
          onConfirm={async () => {
            await putToSleep({ namespace, name });
            notify.done(`Putting ${name} to sleep`);
          }}
        >
          <Text size="sm">
            A sleeping virtual cluster uses no compute and keeps its data. It cannot be used until someone wakes it.
          </Text>
        </Confirm>
      ) : null}
      {dialog === 'delete' ? (
        <Confirm
          title={`Delete ${name}?`}
          action={`Delete ${name}`}
          confirmationText={name}
          danger
          onClose={close}
          onConfirm={async () => {
            await deleteObject(kinds.instance, { namespace, name }, { uid: object.metadata.uid });
            notify.done(`Deleting ${name}`);
          }}
        >
          <Text size="sm">
            {instance.spec.external === true
              ? 'This virtual cluster is managed externally. It is only removed from Flotilla and keeps running.'
              : 'All data in the virtual cluster is deleted. This cannot be undone.'}
          </Text>
        </Confirm>
      ) : null}
    </>
  );
}
