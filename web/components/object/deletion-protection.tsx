import { Badge, Switch, Tooltip } from '@mantine/core';
import { useState } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import { nonDeletableAnnotation } from '../../../src/api/naming.ts';
import type { KindRef } from '../../data/kind-ref.ts';
import { patchObject } from '../../data/objects/objects.ts';
import { notify } from '../notifications.tsx';

/** True if the server refuses to delete the object until its protection is removed. */
export function isProtected({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return metadata.annotations?.[nonDeletableAnnotation] === 'true';
}

/** A badge for an object that is protected from deletion. Renders nothing for other objects. */
export function ProtectedBadge({ object }: { readonly object: Pick<KubeObject, 'metadata'> }) {
  if (!isProtected(object)) return null;
  return (
    <Tooltip label="Cannot be deleted until the protection is removed">
      <Badge variant="default" size="sm" tt="none">
        Protected
      </Badge>
    </Tooltip>
  );
}

export interface ProtectionSwitchProps {
  readonly kind: KindRef;
  readonly object: Pick<KubeObject, 'metadata'>;
  /** True if the user may change the object. */
  readonly mayChange: boolean;
}

/** A switch that protects an object from deletion. */
export function ProtectionSwitch({ kind, object, mayChange }: ProtectionSwitchProps) {
  const [isBusy, setBusy] = useState(false);
  const { namespace, name = '' } = object.metadata;
  const isOn = isProtected(object);

  async function change(protect: boolean): Promise<void> {
    setBusy(true);
    try {
      const annotations = { [nonDeletableAnnotation]: protect ? 'true' : null };
      await patchObject(kind, { namespace, name }, { metadata: { annotations } });
      notify.done(protect ? `${name} is protected from deletion` : `${name} is no longer protected from deletion`);
    } catch (error) {
      notify.failed(`Changing the protection of ${name} failed`, error);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Switch
      size="sm"
      label="Protect from deletion"
      checked={isOn}
      disabled={!mayChange || isBusy}
      onChange={(event) => void change(event.currentTarget.checked)}
    />
  );
}
