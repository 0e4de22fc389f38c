import { Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { RemoveButton } from '../../../components/delete-button.tsx';
import { Confirm } from '../../../components/form/confirm.tsx';
import { Icon } from '../../../components/icon.tsx';
import { SimpleTable } from '../../../components/list/simple-table.tsx';
import { notify } from '../../../components/notifications.tsx';
import { PrincipalLink } from '../../../components/object/principal-link.tsx';
import { Panel } from '../../../components/panel.tsx';
import { changeObject } from '../../../data/objects/change-object.ts';
import { type Principal, principalKey } from '../../../data/principals.ts';
import { ShareDialog } from './share-dialog.tsx';
import { everyone, type Grantee, granteesOf, withoutShare } from './sharing.ts';
import type { InstanceSectionProps } from './use-instance-permissions.ts';

/** A tab with the users and teams that have access to an instance, and their roles. */
export function AccessTab({ instance, permissions }: InstanceSectionProps) {
  const [isSharing, setSharing] = useState(false);
  const [revoking, setRevoking] = useState<Principal>();
  const { type, object, namespace, name, project } = instance;
  const roles = type.rolesOf(object);
  const grantees = granteesOf(object, roles);
  const { defaultRole } = roles;
  const head = ['User or team', 'Permissions', 'Cluster role', ...(permissions.canShare ? [''] : [])];
  return (
    <Panel
      title="Access"
      actions={
        permissions.canShare ? (
          <Button size="xs" leftSection={<Icon name="share" size={16} />} onClick={() => setSharing(true)}>
            Share
          </Button>
        ) : null
      }
    >
      <SimpleTable
        label={`Access to ${name}`}
        head={head}
        rows={grantees.map((one) => ({
          key: principalKey(one.principal),
          cells: [
            <Who key="who" shared={one} />,
            one.permissions,
            one.roles.length === 0 ? (
              'None'
            ) : (
              <span key="roles" className="mono">
                {one.roles.join(', ')}
              </span>
            ),
            ...(permissions.canShare
              ? [
                  one.isOwner ? null : (
                    <RemoveButton
                      key="remove"
                      label={`Revoke access of ${principalText(one.principal)}`}
                      onClick={() => setRevoking(one.principal)}
                    />
                  ),
                ]
              : []),
          ],
        }))}
      />
      <Text size="sm" c="dimmed" mt="md">
        Administrators and the admins of project{' '}
        <Link to="/projects/$project" params={{ project }} search={{ tab: 'members' }}>
          {project}
        </Link>{' '}
        also have access. A user to whom no cluster role is assigned has the default cluster role of the template:{' '}
        <span className="mono">{defaultRole}</span>.
      </Text>
      {isSharing ? <ShareDialog instance={instance} onClose={() => setSharing(false)} /> : null}
      {revoking === undefined ? null : (
        <Confirm
          title={`Revoke access of ${principalText(revoking)}?`}
          action="Revoke access"
          danger
          onClose={() => setRevoking(undefined)}
          onConfirm={async () => {
            await changeObject(type.kind, { namespace, name }, (now) => ({ spec: withoutShare(now, revoking) }));
            notify.done(`Revoked access of ${principalText(revoking)} to ${name}`);
          }}
        >
          <Text size="sm">
            Their open connections to {name} are closed. Permissions that they have as members of the project are not
            affected.
          </Text>
        </Confirm>
      )}
    </Panel>
  );
}

function Who({ shared: { principal, isOwner } }: { readonly shared: Grantee }) {
  return (
    <>
      {principal.name === everyone.name ? 'Everyone' : <PrincipalLink principal={principal} />}
      <Text span size="sm" c="dimmed">
        {principal.kind === 'Team' ? ' (team)' : ''}
        {isOwner ? ' (owner)' : ''}
      </Text>
    </>
  );
}

function principalText({ kind, name }: Principal): string {
  if (name === everyone.name) return 'everyone';
  return kind === 'Team' ? `team ${name}` : name;
}
