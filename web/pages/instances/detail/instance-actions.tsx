import { Button, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { DeleteButton } from '../../../components/delete-button.tsx';
import { Confirm } from '../../../components/form/confirm.tsx';
import { Icon } from '../../../components/icon.tsx';
import { LinkButton } from '../../../components/link-button.tsx';
import { notify } from '../../../components/notifications.tsx';
import { isProtected } from '../../../components/object/deletion-protection.tsx';
import { deleteObject } from '../../../data/objects/objects.ts';
import { putToSleep } from '../../../data/objects/sleep-and-wake.ts';
import type { InstanceState } from './instance-state.ts';
import type { InstanceSectionProps } from './use-instance-permissions.ts';
import { WakeButton } from './wake-button.tsx';

/** The buttons for the actions on an instance that its state and the caller's permissions allow. */
export function InstanceActions({ instance, permissions }: InstanceSectionProps) {
  const [dialog, setDialog] = useState<'sleep' | 'delete'>();
  const { type, name, namespace, project, phase, object, spec } = instance;
  const navigate = useNavigate();
  const close = () => setDialog(undefined);
  const isTerminating = phase === 'Terminating';
  return (
    <>
      {type.hasExplorer && permissions.canUse && instance.isUsable ? (
        <>
          <LinkButton
            to="/virtual-clusters/$project/$name/inside"
            params={{ project, name }}
            leftSection={<Icon name="search" />}
          >
            Open explorer
          </LinkButton>
          <LinkButton
            to="/virtual-clusters/$project/$name/terminal"
            params={{ project, name }}
            variant="default"
            leftSection={<Icon name="terminal" />}
          >
            Terminal
          </LinkButton>
        </>
      ) : null}
      <WakeButton instance={instance} permissions={permissions} />
      {permissions.canChange && (phase === 'Ready' || phase === 'Failed') ? (
        <Button variant="default" leftSection={<Icon name="moon" />} onClick={() => setDialog('sleep')}>
          Sleep
        </Button>
      ) : null}
      {permissions.canDelete && !isTerminating && !isProtected(object) ? (
        <DeleteButton onClick={() => setDialog('delete')} />
      ) : null}
      {dialog === 'sleep' ? <SleepDialog instance={instance} onClose={close} /> : null}
      {dialog === 'delete' ? (
        <Confirm
          title={`Delete ${name}?`}
          action={`Delete ${name}`}
          confirmationText={name}
          danger
          onClose={close}
          onConfirm={async () => {
            await deleteObject(type.kind, { namespace, name }, { uid: object.metadata.uid });
            notify.done(`Deleting ${name}`);
            await navigate({ to: type.listPath });
          }}
        >
          <Text size="sm">
            {'external' in spec && spec.external === true
              ? 'This virtual cluster is managed externally. It is only removed from Flotilla and keeps running.'
              : `All data in the ${type.noun} is deleted. This cannot be undone.`}
          </Text>
        </Confirm>
      ) : null}
    </>
  );
}

/**
 * Asks for confirmation before an instance is put to sleep. If the server has refused the sleep because data would be
 * lost, the user must accept the loss.
 */
function SleepDialog({ instance, onClose }: { readonly instance: InstanceState; onClose(): void }) {
  const { type, name, sleepRefusal } = instance;
  const losesData = sleepRefusal !== '';
  return (
    <Confirm
      title={`Put ${name} to sleep?`}
      action={losesData ? 'Put to sleep and lose all data' : 'Put to sleep'}
      {...(losesData ? { danger: true, confirmationText: name } : {})}
      onClose={onClose}
      onConfirm={async () => {
        await putToSleep(instance, { acceptsDataLoss: losesData });
        notify.done(`Putting ${name} to sleep`);
      }}
    >
      <Text size="sm">{losesData ? sleepRefusal : sleepEffect(type.noun)}</Text>
    </Confirm>
  );
}

function sleepEffect(noun: string): string {
  const effect = `A sleeping ${noun} uses no compute. Its objects and persistent volumes are kept.`;
  return `${effect} It cannot be used until someone wakes it.`;
}
