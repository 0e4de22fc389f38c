import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { InstanceType } from '../../data/instance-types.ts';

/** A link to the list of the instances of a type. */
export function BackToList({ type }: { readonly type: InstanceType }) {
  return (
    <Anchor component={Link} to={type.listPath} size="sm">
      {type.title}s
    </Anchor>
  );
}
