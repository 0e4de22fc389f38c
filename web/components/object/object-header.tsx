import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { displayNameOf, type ObjectWithDisplayName } from '../../data/objects/display-name.ts';
import { PageHeader } from '../page-header.tsx';
import { isProtected, ProtectedBadge } from './deletion-protection.tsx';

export interface ObjectHeaderProps {
  readonly object: ObjectWithDisplayName;
  readonly back: ReactNode;
  /** The buttons for actions on the object. */
  readonly children: ReactNode;
}

/** The page header of an object: its display name, and its name if the two differ. */
export function ObjectHeader({ object, back, children }: ObjectHeaderProps) {
  const { name = '' } = object.metadata;
  const shown = displayNameOf(object);
  return (
    <PageHeader
      title={shown}
      above={back}
      about={
        shown === name && !isProtected(object) ? undefined : (
          <Group gap="xs">
            {shown === name ? null : <span className="mono">{name}</span>}
            <ProtectedBadge object={object} />
          </Group>
        )
      }
      actions={<Group gap="sm">{children}</Group>}
    />
  );
}
