import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import type { KindRef } from '../../data/kind-ref.ts';
import { useObject } from '../../data/objects/use-object.ts';
import { LiveObjectView } from './live-object-view.tsx';

export interface ObjectPageProps<Type extends KubeObject> {
  readonly kind: KindRef<Type>;
  readonly name: string;
  /** The kind in lowercase, for messages: "project". */
  readonly what: string;
  /** The page that lists objects of this kind, for the link back. */
  readonly list: {
    readonly to: '/hosts' | '/projects' | '/space-templates' | '/templates' | '/teams' | '/users';
    readonly label: string;
  };
  /** Renders the page from the current object and the link back to the list. */
  children(object: Type, back: ReactNode): ReactNode;
}

/** The page of one cluster-scoped object. */
export function ObjectPage<Type extends KubeObject>({ kind, name, what, list, children }: ObjectPageProps<Type>) {
  const live = useObject(kind, { name });
  const back = (
    <Anchor component={Link} to={list.to} size="sm">
      {list.label}
    </Anchor>
  );
  return (
    <LiveObjectView live={live} what={what} name={name} back={back}>
      {(object) => children(object, back)}
    </LiveObjectView>
  );
}
