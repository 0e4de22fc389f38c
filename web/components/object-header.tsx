import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import type { KubeObject } from '../../src/api/meta.ts';
import { displayNameOf } from '../data/display-name.ts';
import { PageHeader } from './page-header.tsx';

export interface ObjectHeaderProps {
  readonly object: KubeObject;
  readonly back: ReactNode;
  /** What one may do with it. */
  readonly children: ReactNode;
}

/** What an object is called; its name too where people call it otherwise. */
export function ObjectHeader({ object, back, children }: ObjectHeaderProps) {
  const { name = '' } = object.metadata;
  const shown = displayNameOf(object);
  return (
    <PageHeader
      title={shown}
      above={back}
      about={shown === name ? undefined : <span className="mono">{name}</span>}
      actions={<Group gap="sm">{children}</Group>}
    />
  );
}
